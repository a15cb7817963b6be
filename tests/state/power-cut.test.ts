import { expect, test } from 'vitest';
import { FilePlace } from '../../src/state/file-place.ts';
import type { FileSystem } from '../../src/state/file-system.ts';
import { Random, testSeed } from '../helpers/random.ts';
import { askingFileSystem } from './faulty-file-system.ts';
import { SimulatedDisk } from './simulated-disk.ts';

const NOW = new Date('2026-05-01T12:00:00.000Z');
const COMMITS = 8;

const placeOn = (fs: FileSystem) =>
  new FilePlace<string>({ folder: '/home/state/session/agent', history: 3, fs });

test('a power cut before any operation takes no version that was acknowledged', () => {
  const seed = testSeed();
  const random = new Random(seed);
  const disk = new SimulatedDisk();
  let acknowledged = 0;
  let cuts = 0;
  const cutting = askingFileSystem(() => {
    for (let outcome = 0; outcome < 10; outcome++) {
      const after = placeOn(disk.afterPowerCut(random).fs);
      const newest = after.load();
      const version = newest?.version ?? 0;
      expect(version, `seed ${seed}, cut ${cuts}`).toBeGreaterThanOrEqual(acknowledged);
      expect(version).toBeLessThanOrEqual(acknowledged + 1);
      expect(newest?.content).toBe(version === 0 ? undefined : `v${version}`);
      expect(after.commit(version, 'next', NOW)?.version).toBe(version + 1);
      cuts++;
    }
  }, disk.fs);
  const place = placeOn(cutting);
  while (acknowledged < COMMITS) {
    expect(place.commit(acknowledged, `v${acknowledged + 1}`, NOW)).toBeDefined();
    acknowledged++;
  }
  expect(cuts).toBeGreaterThan(500);
});

test('the simulated disk loses unsaved bytes', () => {
  const random = new Random(1);
  const disk = new SimulatedDisk();
  const forgetful = placeOn({ ...disk.fs, fsync: () => {} });
  for (let base = 0; base < COMMITS; base++) forgetful.commit(base, `v${base + 1}`, NOW);
  const versions = Array.from({ length: 50 }, () => {
    try {
      return placeOn(disk.afterPowerCut(random).fs).load()?.version ?? 0;
    } catch {
      return 'damaged';
    }
  });
  expect(new Set(versions).size).toBeGreaterThan(1);
});
