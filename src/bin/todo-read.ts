import { TodoReadHandler } from '../todo/todo-read.ts';
import { peopleLook, runExecutable } from './run-executable.ts';

const look = peopleLook();
const forPeople: ConstructorParameters<typeof TodoReadHandler>[2] =
  look &&
  (async (versions) => {
    const { todosForPeople } = await import('../screen/panel/for-people.ts');
    return todosForPeople(versions, await look());
  });

runExecutable(({ open }, settings) => new TodoReadHandler(open, settings, forPeople));
