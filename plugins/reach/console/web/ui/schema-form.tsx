import { Stack } from '@mantine/core'
import { MoreSettings } from './more-settings.tsx'
import { SchemaField } from './schema-form-field.tsx'
import { resolveSchema, type Schema, type Values } from './schema-form-schema.ts'

interface Props {
  schema: Schema
  values: Values
  onChange(values: Values): void
  /** The kind that the schema is of, whose texts the console may have. */
  of: string
  /** The JSON pointer of the values in the body, where the issues of the server point. */
  at: string
  /** True if secrets that are not in the values may be stored. */
  isStored?: boolean
  /** Names of fields that are not shown. */
  without?: string[]
  /** Names of fields shown under "More settings". */
  later?: (name: string) => boolean
}

/** A form drawn from a JSON Schema: required fields first, optional ones behind "More settings". */
export function SchemaForm({
  schema,
  values,
  onChange,
  of,
  at,
  isStored = false,
  without = [],
  later,
}: Props) {
  const { properties, required } = resolveSchema(schema, values)
  const names = Object.keys(properties).filter((name) => !without.includes(name))
  const isLater = later ?? ((name: string) => !required.includes(name))
  const first = names.filter((name) => required.includes(name) || !isLater(name))
  const further = names.filter((name) => !first.includes(name))
  const renderField = (name: string) => (
    <SchemaField
      key={name}
      name={name}
      schema={properties[name]!}
      value={values[name]}
      onChange={(value) => onChange({ ...values, [name]: value })}
      of={of}
      at={`${at}/${name}`}
      isRequired={required.includes(name)}
      isStored={isStored}
    />
  )
  return (
    <Stack gap="lg">
      {first.map(renderField)}
      {further.length > 0 && <MoreSettings>{further.map(renderField)}</MoreSettings>}
    </Stack>
  )
}
