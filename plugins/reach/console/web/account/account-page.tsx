import { Button, Stack } from '@mantine/core'
import { SlotParts } from '../frame/slot-parts.tsx'
import { t } from '../i18n/words.ts'
import { Notifications } from '../push/notifications.tsx'
import { client } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { useAccount } from '../session/account.ts'
import { leaveSession } from '../session/token.ts'
import { SharedLinks } from '../shares/shared-links.tsx'
import { Page } from '../ui/page.tsx'
import { Webhooks } from '../webhooks/webhooks.tsx'
import { ApiKeys } from './api-keys.tsx'
import { Appearance } from './appearance.tsx'
import { Identities } from './identities.tsx'
import { ImportLink } from './import-link.tsx'
import { Limits } from './limits.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { Profile } from './profile.tsx'
import { Sessions } from './sessions.tsx'
import { TwoFactor } from './two-factor.tsx'

/** The account of the one who is signed in. */
export default function AccountPage() {
  const account = useAccount()
  const { features } = useFacts()
  const signOut = async () => {
    await client.POST('/auth/logout')
    leaveSession()
  }
  return (
    <Page
      title={t('frame.account')}
      about={t(account.role === 'admin' ? 'account.signed_in_admin' : 'account.signed_in', {
        name: account.username,
      })}
      actions={
        <Button variant="default" onClick={signOut}>
          {t('frame.sign_out')}
        </Button>
      }
    >
      <Stack gap={40}>
        <Profile />
        <Appearance />
        {features.push && <Notifications />}
        <Password />
        {features['two-factor'] && (
          <>
            <TwoFactor />
            <Passkeys />
          </>
        )}
        <Identities />
        <Sessions />
        {features.shares && <SharedLinks />}
        {features.imports && <ImportLink />}
        <ApiKeys account={account} />
        {features.webhooks && <Webhooks />}
        <Limits account={account} />
        <SlotParts name="account.sections" />
      </Stack>
    </Page>
  )
}
