import type { FromSchema, JSONSchema as StaticSchema } from 'json-schema-to-ts'

/** Settings of which no schema is known. */
export type AnyConfig = Readonly<Record<string, unknown>>

/** The settings that a schema literal describes; those with a default may be missing. */
export type ConfigOf<Schema> = Schema extends StaticSchema
  ? FromSchema<Schema, { keepDefaultedPropertiesOptional: true }> extends infer Config extends AnyConfig
    ? Readonly<Config>
    : AnyConfig
  : AnyConfig
