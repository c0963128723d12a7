import { Button, Collapse, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { t } from '../i18n/words.ts'
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

/** A form drawn from a JSON Schema: what is needed first, what can be left out behind "More settings". */
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
  const [isOpen, more] = useDisclosure()
  const { properties, required } = resolveSchema(schema, values)
  const names = Object.keys(properties).filter((name) => !without.includes(name))
  const isLater = later ?? ((name: string) => !required.includes(name))
  const first = names.filter((name) => required.includes(name) || !isLater(name))
  const rest = names.filter((name) => !first.includes(name))
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
      {rest.length > 0 && (
        <div>
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            onClick={more.toggle}
            aria-expanded={isOpen}
            leftSection={isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
          >
            {t('forms.more')}
          </Button>
          <Collapse expanded={isOpen} transitionDuration={100}>
            <Stack gap="lg" pt="md">
              {rest.map(renderField)}
            </Stack>
          </Collapse>
        </div>
      )}
    </Stack>
  )
}
