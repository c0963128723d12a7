import { Button, Stack } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { leaveSession, readSession, updateUser } from '../session/token.ts'
import { Failure } from '../ui/failure.tsx'
import { Layout } from './layout.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { PasswordField } from './password-form.tsx'
import { useSubmit } from './use-submit.ts'

/** Asks for another password before anything else, after somebody has set the password of the account. */
export default function NewPassword() {
  const { isBusy, error, submit } = useSubmit(async ({ old_password = '', new_password = '' }) => {
    const { error } = await client.POST('/auth/change-password', { body: { old_password, new_password } })
    if (error) throw error
    updateUser({ must_change_password: false })
  })
  const leave = async () => {
    await client.POST('/auth/logout')
    leaveSession()
  }
  return (
    <Layout title={t('sign-in.new_title')} about={t('sign-in.new_about')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <input type="hidden" name="username" autoComplete="username" value={readSession()?.user.username} />
          <PasswordField
            name="old_password"
            label={t('sign-in.old_password')}
            autoComplete="current-password"
            autoFocus
            withAsterisk={false}
          />
          <NewPasswordField label={t('sign-in.new_password')} />
          {error !== undefined && <Failure error={error} />}
          <Button type="submit" loading={isBusy} fullWidth>
            {t('sign-in.change_password')}
          </Button>
          <Button variant="subtle" color="gray" onClick={leave} fullWidth>
            {t('sign-in.sign_out')}
          </Button>
        </Stack>
      </form>
    </Layout>
  )
}
