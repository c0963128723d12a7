import { Button } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { useAccount } from '../session/account.ts'
import { Page } from '../ui/page.tsx'

/** The account of the one who is signed in. */
export default function AccountPage() {
  const { username } = useAccount()
  const signOut = async () => {
    await client.POST('/auth/logout')
    location.assign('/login')
  }
  return (
    <Page title={t('frame.account')} about={username}>
      <Button variant="default" onClick={signOut} w="fit-content">
        {t('frame.sign_out')}
      </Button>
    </Page>
  )
}
