import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { PasswordField } from './password-form.tsx'

interface Props {
  name?: string
  label: string
  /** Why the server refused it. */
  error?: string | undefined
}

/** A password to be set. One that is too short is explained at the field, in place of the browser's own bubble. */
export function NewPasswordField({ name = 'new_password', label, error }: Props) {
  const [isRefused, setRefused] = useState(false)
  return (
    <PasswordField
      name={name}
      label={label}
      description={t('sign-in.password_rules')}
      error={isRefused ? t('sign-in.password_short') : error}
      autoComplete="new-password"
      minLength={8}
      withAsterisk={false}
      onInvalid={(event) => {
        event.preventDefault()
        event.currentTarget.focus()
        setRefused(true)
      }}
      onChange={() => setRefused(false)}
    />
  )
}
