import { expect, test } from 'vitest';
import { todosForPeople } from '../../src/screen/panel/for-people.ts';
import { factsOf, shownItem } from '../../src/screen/panel/look.ts';
import { createTheme } from '../../src/screen/panel/theme.ts';
import { itemDetails } from '../../src/viewer/details.ts';
import { historyOf, NOON } from '../viewer/viewer-state.ts';
import { todo } from './call.ts';

test('a field that an item has beside its own shows wherever people look, as one that is a new row of the table would', () => {
  const item = { ...todo('Ship', { id: '7', priority: 'high' }), due: '2026-01-31' };
  expect(factsOf(shownItem(item))).toEqual(['high', 'due 2026-01-31']);
  expect(factsOf(shownItem({ ...item, status: 'completed' }))).toEqual([]);
  const { versions } = historyOf('main', [[5, [item]]]);
  const look = { theme: createTheme(), columns: 100, now: NOON };
  expect(todosForPeople(versions, look)).toMatch(/^○ Ship \(id: 7, due: 2026-01-31\) +high\n/);
  expect(itemDetails(versions, item)).toContainEqual({ label: 'Due', lines: ['2026-01-31'] });
});
