import { TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { PasswordField } from '../sign-in/password-form.tsx'
import { useDraft } from '../ui/draft.ts'
import { useIssue } from '../ui/issues.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { NEW_PERSON, type PersonValues, toNewPerson } from './person.ts'
import { PersonFields } from './person-fields.tsx'

/** Creates an account with a password that its owner can use at once. */
export function CreatePerson({ onClose }: { onClose(): void }) {
  const draft = useDraft(NEW_PERSON)
  const { username, password } = draft.value
  const create = async () => {
    await send(client.POST('/users', { body: toNewPerson(draft.value) }))
    await refresh('/users')
  }
  return (
    <Sheet
      title={t('people.create')}
      isDirty={draft.isDirty}
      canSave={username !== '' && password.length >= 8}
      saveLabel={t('people.create_action')}
      onSave={create}
      onClose={onClose}
    >
      <Credentials values={draft.value} onChange={draft.change} />
      <PersonFields values={draft.value} onChange={draft.change} />
    </Sheet>
  )
}

function Credentials({
  values,
  onChange,
}: {
  values: PersonValues
  onChange(changes: Partial<PersonValues>): void
}) {
  return (
    <>
      <TextInput
        label={t('people.username')}
        description={t('people.username_help')}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        withAsterisk={false}
        maxLength={64}
        value={values.username}
        error={useIssue('/username')}
        onChange={(event) => onChange({ username: event.currentTarget.value })}
        data-autofocus
      />
      <PasswordField
        label={t('people.password')}
        description={t('people.password_help')}
        autoComplete="new-password"
        withAsterisk={false}
        value={values.password}
        error={useIssue('/password')}
        onChange={(event) => onChange({ password: event.currentTarget.value })}
      />
    </>
  )
}
