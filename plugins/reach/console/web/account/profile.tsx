import { Select, SimpleGrid, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { queries } from '../server/queries.ts'
import { ifMatch, refresh, sendTagged } from '../server/send.ts'
import { updateUser } from '../session/token.ts'
import { listChanges, useDraft } from '../ui/draft.ts'
import { useIssue } from '../ui/issues.tsx'
import { Pending } from '../ui/pending.tsx'
import { Section } from '../ui/section.tsx'
import { SettingsForm } from '../ui/settings-form.tsx'

interface Names {
  display_name: string | null
  email: string | null
  timezone: string | null
}

const KEY = ['edit', '/auth/me']

/** The name, the address and the time zone of the account. */
export function Profile() {
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: () => sendTagged(client.GET('/auth/me')),
    staleTime: 0,
    gcTime: 0,
  })
  return (
    <Section title={t('account.profile')}>
      {data ? (
        <ProfileForm stored={data.data} tag={data.tag} />
      ) : (
        <Pending error={error} refetch={refetch} height={80} />
      )}
    </Section>
  )
}

function ProfileForm({ stored, tag }: { stored: Names; tag: string | null }) {
  const draft = useDraft<Names>({
    display_name: stored.display_name,
    email: stored.email,
    timezone: stored.timezone,
  })
  const save = async () => {
    const params = { header: ifMatch(tag) }
    const body = listChanges(draft.base, draft.value)
    const { data: user, tag: next } = await sendTagged(client.PATCH('/auth/me', { params, body }))
    draft.accept({ display_name: user.display_name, email: user.email, timezone: user.timezone })
    queries.setQueryData(KEY, { data: user, tag: next })
    updateUser(user)
    await refresh('/auth/me')
  }
  return (
    <SettingsForm label={t('account.profile')} isDirty={draft.isDirty} onSave={save} onReset={draft.reset}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
        <Name {...draft} />
        <Email {...draft} />
        <TimeZone {...draft} />
      </SimpleGrid>
    </SettingsForm>
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

const ZONES = Intl.supportedValuesOf('timeZone')

const TimeZone = ({ value, change }: Props) => (
  <Select
    label={t('account.timezone')}
    description={t('account.timezone_help')}
    searchable
    allowDeselect={false}
    // The zone of a browser may be one that this one has another name for.
    data={value.timezone === null ? ZONES : [...new Set([value.timezone, ...ZONES])]}
    value={value.timezone}
    error={useIssue('/timezone')}
    onChange={(timezone) => change({ timezone })}
  />
)
