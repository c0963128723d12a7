import { Button, Stack } from '@mantine/core'
import { t, type WordKey } from '../i18n/words.ts'
import { readSession } from '../session/token.ts'
import { Alert } from '../ui/alert.tsx'

const REASONS: Record<string, WordKey> = {
  state: 'sign-in.error_state',
  denied: 'sign-in.error_denied',
  disabled: 'sign-in.error_disabled',
  misconfigured: 'sign-in.error_misconfigured',
  invalid_token: 'sign-in.error_invalid_token',
  exchange: 'sign-in.error_exchange',
  taken: 'sign-in.error_taken',
  already_linked: 'sign-in.error_already_linked',
}

/** The reason for which another service did not sign somebody in, or was not linked to the account. */
export function ServiceFailure({ reason }: { reason: string }) {
  return (
    <Stack gap="md" mb="lg">
      <Alert>{t((Object.hasOwn(REASONS, reason) && REASONS[reason]) || 'sign-in.error_generic')}</Alert>
      {readSession() && (
        <Button component="a" href="/account" variant="default">
          {t('sign-in.to_account')}
        </Button>
      )}
    </Stack>
  )
}
