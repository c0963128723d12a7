import { Button, Modal, Stack, Text } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { leaveSession, openSession, type SessionUser } from '../session/token.ts'
import { PasswordForm } from './password-form.tsx'
import type { Login } from './post.ts'

/** Signs somebody in again whose session has ended, above the page, which stays as it is. */
export default function SignInAgain({ user }: { user: SessionUser }) {
  const resume = (login: Login) => {
    openSession(login)
    // The page shows things of the other account.
    if (login.user.id !== user.id) location.reload()
  }
  return (
    <Modal
      opened
      onClose={() => {}}
      title={t('sign-in.again_title')}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      centered
      size="sm"
    >
      <Stack gap="md">
        <Text size="sm">{t('sign-in.again_about')}</Text>
        <PasswordForm username={user.username} onLogin={resume} />
        <Button variant="subtle" color="gray" onClick={leaveSession} fullWidth>
          {t('sign-in.other_account')}
        </Button>
      </Stack>
    </Modal>
  )
}
