import * as z from 'zod/mini';
import { type Fields, type Kind, type TextLimits, unexpected, type ValuesOf } from './fields.ts';

/** The zod schema of an object with these fields and no others. */
export function objectSchema<const Table extends Fields>(
  table: Table,
  limits: TextLimits,
): z.ZodMiniType<ValuesOf<Table>> {
  // Building a schema takes longer than checking a list, so fields of one kind share theirs.
  const required = new Map<Kind, z.ZodMiniType>();
  const optional = new Map<Kind, z.ZodMiniType>();
  const shape: Record<string, z.ZodMiniType> = {};
  for (const [name, { kind, isRequired }] of Object.entries(table)) {
    const schema = required.get(kind) ?? schemaOf(kind, limits);
    required.set(kind, schema);
    if (!isRequired && !optional.has(kind)) optional.set(kind, z.exactOptional(schema));
    shape[name] = isRequired ? schema : (optional.get(kind) as z.ZodMiniType);
  }
  return z.strictObject(shape) as unknown as z.ZodMiniType<ValuesOf<Table>>;
}

function schemaOf(kind: Kind, limits: TextLimits): z.ZodMiniType {
  switch (kind.is) {
    case 'text': {
      const most = kind.most(limits);
      return z.string().check(z.trim(), ({ value, issues }) => {
        const message = kind.problem(value, most, limits);
        if (message !== undefined) issues.push({ code: 'custom', message, input: value });
      });
    }
    case 'word':
      return z.enum(kind.words);
    case 'flag':
      return z.boolean();
    case 'list':
      return z.array(schemaOf(kind.of, limits));
    case 'value':
      return z.transform((given, { issues }) => {
        const value = kind.from(given, limits);
        if (value !== undefined) return value;
        // Not read for a missing field, which comes here, too.
        const message = given === undefined ? '' : kind.whyNot?.(given, limits);
        issues.push({ code: 'custom', message: message ?? unexpected(kind, given), input: given });
        return given;
      });
  }
}
