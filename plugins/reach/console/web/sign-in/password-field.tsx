import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { t } from '../i18n/words.ts'

/** A password, which can be shown. */
export const PasswordField = (props: PasswordInputProps) => (
  <PasswordInput
    required
    maxLength={200}
    visibilityToggleButtonProps={{ 'aria-label': t('sign-in.show_password'), tabIndex: 0 }}
    {...props}
  />
)
