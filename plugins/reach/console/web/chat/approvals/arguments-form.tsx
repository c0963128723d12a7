import { Button, Group, NumberInput, Stack, Switch, Textarea } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../i18n/words.ts'
import { Fields } from '../messages/fields.tsx'

interface Props {
  args: Record<string, unknown>
  onCancel(): void
  onSubmit(args: Record<string, unknown>): void
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/** Edits the arguments of an action in place, each by its kind; nested ones are shown and stay as they are. */
export function ArgumentsForm({ args, onCancel, onSubmit }: Props) {
  const [changed, setChanged] = useState(args)
  const set = (name: string, value: unknown) => setChanged((all) => ({ ...all, [name]: value }))
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(changed)
      }}
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
    >
      <Stack gap="sm">
        {Object.entries(changed).map(([name, value], index) => (
          <Argument
            key={name}
            name={name}
            value={value}
            isFirst={index === 0}
            onChange={(next) => set(name, next)}
          />
        ))}
        <Group gap="sm">
          <Button size="xs" type="submit">
            {t('approvals.approve_edited')}
          </Button>
          <Button size="xs" variant="default" onClick={onCancel}>
            {t('common.cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface ArgumentProps {
  name: string
  value: unknown
  isFirst: boolean
  onChange(value: unknown): void
}

function Argument({ name, value, isFirst, onChange }: ArgumentProps) {
  const label = name.replaceAll('_', ' ')
  if (typeof value === 'boolean')
    return (
      <Switch
        size="xs"
        label={label}
        checked={value}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  if (typeof value === 'number')
    return (
      <NumberInput
        size="xs"
        label={label}
        value={value}
        onChange={(next) => typeof next === 'number' && onChange(next)}
      />
    )
  if (typeof value === 'string' || isTexts(value))
    return (
      <Textarea
        size="xs"
        label={label}
        description={isTexts(value) ? t('approvals.one_per_line') : undefined}
        autosize
        minRows={1}
        maxRows={14}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={isTexts(value) ? value.join('\n') : value}
        onChange={(event) => {
          const text = event.currentTarget.value
          onChange(isTexts(value) ? text.split('\n') : text)
        }}
        data-autofocus={isFirst}
        autoFocus={isFirst}
      />
    )
  return <Fields value={{ [name]: value }} />
}
