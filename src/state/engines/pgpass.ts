import { readFileSync, statSync } from 'node:fs';

/**
 * The password of the first line of a password file that fits, as libpq finds it
 * (https://www.postgresql.org/docs/current/libpq-pgpass.html): `host:port:database:user:password`, where `*` fits all and
 * a backslash makes the next character plain. A file that others may read is not used.
 */
export function passwordFrom(
  file: string,
  wanted: { host: string; port: number; database: string; user: string },
): string | undefined {
  let text: string;
  try {
    if ((statSync(file).mode & 0o077) !== 0) return undefined;
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const values = [wanted.host, String(wanted.port), wanted.database, wanted.user];
  for (const line of text.split(/\r?\n/)) {
    const fields = line.startsWith('#') ? [] : fieldsOf(line);
    const fits = values.every((value, index) => fields[index] === '*' || fields[index] === value);
    if (fits && fields[4]) return fields[4];
  }
  return undefined;
}

function fieldsOf(line: string): string[] {
  const fields = line.match(/(?:\\.|[^:\\])*(?::|$)/gs) ?? [];
  return fields.map((field) => field.replace(/:$/, '').replace(/\\(.)/gs, '$1'));
}
