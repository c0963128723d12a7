import { SimpleGrid, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import type { Account } from '../session/account.ts'
import { updateUser } from '../session/token.ts'
import { listChanges, useDraft } from '../ui/draft.ts'
import { useIssue } from '../ui/issues.tsx'
import { Section } from '../ui/section.tsx'
import { SettingsForm } from '../ui/settings-form.tsx'

interface Names {
  display_name: string | null
  email: string | null
}

/** The name and address of the account. */
export function Profile({ account }: { account: Account }) {
  const draft = useDraft<Names>({ display_name: account.display_name, email: account.email })
  const save = async () => {
    const user = await send(client.PATCH('/auth/me', { body: listChanges(draft.base, draft.value) }))
    draft.accept({ display_name: user.display_name, email: user.email })
    updateUser(user)
    await refresh('/auth/me')
  }
  return (
    <Section title={t('account.profile')}>
      <SettingsForm label={t('account.profile')} isDirty={draft.isDirty} onSave={save} onReset={draft.reset}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
          <Name {...draft} />
          <Email {...draft} />
        </SimpleGrid>
      </SettingsForm>
    </Section>
  )
}

interface Props {
  value: Names
  change(changes: Partial<Names>): void
}

const Name = ({ value, change }: Props) => (
  <TextInput
    label={t('account.display_name')}
    description={t('account.display_name_help')}
    autoComplete="name"
    maxLength={128}
    value={value.display_name ?? ''}
    error={useIssue('/display_name')}
    onChange={(event) => change({ display_name: event.currentTarget.value || null })}
  />
)

const Email = ({ value, change }: Props) => (
  <TextInput
    label={t('account.email')}
    description={t('account.email_help')}
    type="email"
    autoComplete="email"
    maxLength={254}
    value={value.email ?? ''}
    error={useIssue('/email')}
    onChange={(event) => change({ email: event.currentTarget.value || null })}
  />
)
