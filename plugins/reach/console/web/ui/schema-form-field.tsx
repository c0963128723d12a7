import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  NumberInput,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import { language } from '../i18n/language.ts'
import { findWord, t } from '../i18n/words.ts'
import { Plus, X } from './icons.ts'
import { useIssue } from './issues.tsx'
import { SchemaChoice } from './schema-form-choice.tsx'
import { resolveSchema, type Schema, type Values } from './schema-form-schema.ts'
import { Secret } from './secret.tsx'

/** A field of a form that is drawn from a schema. */
export interface FieldProps {
  name: string
  schema: Schema
  value: unknown
  onChange(value: unknown): void
  of: string
  at: string
  isRequired: boolean
  isStored: boolean
}

/** Texts from this length on have more than one line. */
const LONG_CHARS = 4_000

/** The control for a field, chosen by its schema. */
export function SchemaField(props: FieldProps) {
  const { name, schema, value, onChange, of, at, isRequired, isStored } = props
  const { label, help, nameOf } = readFieldWords(of, name, schema)
  const error = useIssue(at)
  const example = schema.default ?? schema.examples?.[0]
  const placeholder = example === undefined || typeof example === 'object' ? undefined : String(example)
  const field = { label, description: help, error, required: isRequired, placeholder }

  if (schema.enum)
    return <SchemaChoice {...field} schema={schema} nameOf={nameOf} value={value} onChange={onChange} />
  switch (Array.isArray(schema.type) ? schema.type.find((type) => type !== 'null') : schema.type) {
    case 'boolean':
      if (schema.default === undefined && !isRequired)
        return (
          <SchemaChoice
            {...field}
            schema={{ ...schema, enum: [true, false] }}
            nameOf={(value) => t(value ? 'forms.on' : 'forms.off')}
            value={value}
            onChange={onChange}
          />
        )
      return (
        <Switch
          label={label}
          description={help}
          error={error}
          checked={Boolean(value ?? schema.default)}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'integer':
    case 'number':
      return (
        <NumberInput
          {...field}
          value={typeof value === 'number' ? value : ''}
          onChange={(value) => onChange(typeof value === 'number' ? value : undefined)}
          min={schema.minimum}
          max={schema.maximum}
          allowDecimal={schema.type !== 'integer'}
          clampBehavior="none"
          thousandSeparator=","
        />
      )
    case 'array':
      return (
        <TagsInput
          {...field}
          placeholder={t('forms.list_hint')}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={(value) => onChange(value.length > 0 || isRequired ? value : undefined)}
          maxTags={schema.maxItems}
          splitChars={[',', '，', ' ']}
          acceptValueOnBlur
        />
      )
    case 'object':
      return schema.properties ? (
        <SchemaGroup {...props} label={label} help={help} />
      ) : (
        <SchemaMap {...props} label={label} help={help} error={error} />
      )
    default:
      break
  }
  const text = typeof value === 'string' ? value : undefined
  if (schema.writeOnly)
    return (
      <Secret
        {...field}
        description={
          isStored && text === undefined ? [help, t('forms.keeps_secret')].filter(Boolean).join(' ') : help
        }
        value={text}
        onChange={onChange}
      />
    )
  const Control = (schema.maxLength ?? 0) >= LONG_CHARS ? Textarea : TextInput
  return (
    <Control
      {...field}
      value={text ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      autoComplete="off"
      spellCheck={false}
    />
  )
}

/** Fields that belong together. */
function SchemaGroup({ label, help, ...props }: FieldProps & { label: string; help: string | undefined }) {
  const { schema, of, at, isStored, onChange } = props
  const values = (props.value ?? {}) as Values
  const { properties, required } = resolveSchema(schema, values)
  return (
    <Fieldset legend={label}>
      <Stack gap="lg">
        {help && (
          <Text size="xs" c="var(--meta)">
            {help}
          </Text>
        )}
        {Object.entries(properties).map(([name, property]) => (
          <SchemaField
            key={name}
            name={name}
            schema={property}
            value={values[name]}
            onChange={(value) => onChange(dropEmpty({ ...values, [name]: value }))}
            of={of}
            at={`${at}/${name}`}
            isRequired={required.includes(name)}
            isStored={isStored}
          />
        ))}
      </Stack>
    </Fieldset>
  )
}

/** Drops undefined values; returns undefined if none remains. */
function dropEmpty(values: Values): Values | undefined {
  const definedValues = Object.entries(values).filter(([, value]) => value !== undefined)
  return definedValues.length > 0 ? Object.fromEntries(definedValues) : undefined
}

/** The texts of a field in the language of the page, from the console or else from the schema. */
function readFieldWords(of: string, name: string, schema: Schema) {
  const find = (suffix: string) =>
    findWord(`fields.${of}_${name}${suffix}`) ?? findWord(`fields.${name}${suffix}`)
  const label = find('')
  return {
    label: label ?? schema.title ?? humanize(name),
    // A text of the schema would be in English below a label that is not.
    help: find('__help') ?? (label === undefined || language === 'en' ? schema.description : undefined),
    /** The name of a value that can be chosen. */
    nameOf: (value: unknown) =>
      find(`__${value}`) ?? findWord(`fields.value__${value}`) ?? humanize(String(value)),
  }
}

/** A name of the API as words: `api_version` becomes "Api version". */
const humanize = (name: string) => {
  const words = name.replaceAll(/[_-]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

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
