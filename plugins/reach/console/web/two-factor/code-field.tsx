import { TextInput, type TextInputProps } from '@mantine/core'

/** A code of the app, or with `isFree` also a recovery code. */
export const CodeField = ({ isFree = false, ...props }: TextInputProps & { isFree?: boolean }) => (
  <TextInput
    autoComplete="one-time-code"
    inputMode={isFree ? 'text' : 'numeric'}
    autoCapitalize="none"
    spellCheck={false}
    maxLength={isFree ? 64 : 7}
    required
    withAsterisk={false}
    {...props}
  />
)
