import { Button, Group, Input, PasswordInput, Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'

/** The characters that begin the mask of a stored secret; its last ones may follow. */
const MASK = '••••'

interface Props {
  label: string
  description?: string | undefined
  error?: string | undefined
  required?: boolean
  placeholder?: string | undefined
  /** The secret that was entered, or the mask of the stored one. */
  value: string | undefined
  /** True if a secret is stored whose mask is not known. */
  isStored?: boolean
  onChange(value: string | undefined): void
}

/** A secret: it is entered once and never shown again, only replaced. */
export function Secret({ value, isStored = false, onChange, ...field }: Props) {
  const [stored] = useState(value?.startsWith(MASK) ? value : isStored ? MASK : undefined)
  const [isReplacing, setReplacing] = useState(false)
  const { label, description, error, required = false, placeholder } = field
  const replace = (isReplacing: boolean) => {
    setReplacing(isReplacing)
    onChange(isReplacing || isStored ? undefined : stored)
  }

  if (stored !== undefined && !isReplacing) {
    const end = stored.slice(MASK.length)
    return (
      <Input.Wrapper label={label} description={description} error={error} labelElement="div">
        <Group gap="sm" mt={4} role="group" aria-label={label}>
          <Text size="sm" c="var(--meta)">
            {end ? t('forms.stored_end', { end }) : t('forms.stored')}
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => replace(true)}>
            {t('forms.replace')}
          </Button>
        </Group>
      </Input.Wrapper>
    )
  }
  return (
    <Group align="flex-end" gap="sm" wrap="nowrap">
      <PasswordInput
        flex={1}
        label={label}
        description={description}
        error={error}
        required={required}
        placeholder={placeholder}
        value={value ?? ''}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': t('forms.show_secret') }}
        data-autofocus={isReplacing || undefined}
      />
      {isReplacing && (
        <Button variant="default" onClick={() => replace(false)}>
          {t('forms.keep')}
        </Button>
      )}
    </Group>
  )
}
