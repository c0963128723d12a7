import { ActionIcon, Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { Plus, X } from './icons.ts'
import { type FieldProps, SchemaField } from './schema-form-field.tsx'
import type { Schema, Values } from './schema-form-schema.ts'

interface Props extends FieldProps {
  label: string
  help: string | undefined
  error: string | undefined
}

/** Values under names that a person chooses: headers, or the rules of single groups. */
export function SchemaMap({ label, help, error, schema, value, onChange, ...props }: Props) {
  const [name, setName] = useState('')
  const values = (value ?? {}) as Values
  const item: Schema = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {}
  const change = (values: Values) => onChange(Object.keys(values).length > 0 ? values : undefined)
  const add = () => {
    if (!name.trim() || name in values) return
    change({ ...values, [name.trim()]: item.type === 'object' ? {} : '' })
    setName('')
  }
  return (
    <Fieldset legend={label}>
      <Stack gap="md">
        {help && (
          <Text size="xs" c="var(--meta)">
            {help}
          </Text>
        )}
        {Object.entries(values).map(([name, value]) => (
          <Group key={name} gap="sm" align="flex-end" wrap="nowrap">
            <div style={{ flex: 1 }}>
              <SchemaField
                {...props}
                name={name}
                schema={{ ...item, title: name, writeOnly: schema.writeOnly ?? false }}
                value={value}
                onChange={(value) =>
                  change({ ...values, [name]: value ?? (item.type === 'object' ? {} : '') })
                }
                at={`${props.at}/${name}`}
                isRequired={false}
              />
            </div>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t('forms.remove', { name })}
              onClick={() =>
                change(Object.fromEntries(Object.entries(values).filter(([other]) => other !== name)))
              }
            >
              <X size={16} />
            </ActionIcon>
          </Group>
        ))}
        <Group gap="sm" align="flex-end" wrap="nowrap">
          <TextInput
            flex={1}
            label={t('forms.entry_name')}
            error={error}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              add()
            }}
          />
          <Button variant="default" leftSection={<Plus size={14} />} onClick={add} disabled={!name.trim()}>
            {t('forms.add')}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
