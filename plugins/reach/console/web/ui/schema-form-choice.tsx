import { Group, Radio, Select } from '@mantine/core'
import { t } from '../i18n/words.ts'
import type { Schema } from './schema-form-schema.ts'

interface Props {
  label: string
  description: string | undefined
  error: string | undefined
  required: boolean
  schema: Schema
  nameOf(value: unknown): string
  value: unknown
  onChange(value: unknown): void
}

/** The most choices that are all shown at once. */
const MAX_RADIOS = 4
/** The choice to leave a field to its default. */
const UNSET = ''

/** A choice of values: all of them in view up to four, otherwise in a list that opens. */
export function SchemaChoice({ schema, nameOf, value, onChange, ...field }: Props) {
  const { required } = field
  const values = schema.enum ?? []
  const isOptional = !required && schema.default === undefined
  // Values need not be texts, so the controls know them by their JSON.
  const choices = [
    ...(isOptional ? [{ value: UNSET, label: t('forms.default') }] : []),
    ...values.map((value) => ({ value: JSON.stringify(value), label: nameOf(value) })),
  ]
  const current = value ?? schema.default
  const chosen = current === undefined ? UNSET : JSON.stringify(current)
  const choose = (chosen: string | null) => onChange(chosen ? JSON.parse(chosen) : undefined)
  if (values.length > MAX_RADIOS)
    return <Select {...field} data={choices} value={chosen} onChange={choose} allowDeselect={false} />
  return (
    <Radio.Group {...field} value={chosen} onChange={choose}>
      <Group gap="lg" mt={6}>
        {choices.map((choice) => (
          <Radio key={choice.value} size="sm" {...choice} />
        ))}
      </Group>
    </Radio.Group>
  )
}
