import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { PasswordField } from '../sign-in/password-form.tsx'
import { useDraft } from '../ui/draft.ts'
import { useIssue } from '../ui/issues.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useSuggestedPermissions } from './permission-picks.tsx'
import { NEW_PERSON, type PersonValues, toNewPerson } from './person.ts'
import { PersonFields } from './person-fields.tsx'

/** Creates an account with a password that its owner can use at once. */
export function CreatePerson({ onClose }: { onClose(): void }) {
  const draft = useDraft(NEW_PERSON)
  const suggested = useSuggestedPermissions()
  const [chosen, setChosen] = useState<string[]>()
  const values = { ...draft.value, permissions: chosen ?? suggested }
  const { username, password, role } = values
  const change = ({ permissions, ...changes }: Partial<PersonValues>) => {
    if (permissions) setChosen(permissions)
    draft.change(changes)
  }
  const create = async () => {
    // An administrator holds every permission without a grant.
    const person = role === 'admin' ? { ...values, permissions: [] } : values
    await send(client.POST('/users', { body: toNewPerson(person) }))
    await refresh('/users')
  }
  return (
    <Sheet
      title={t('people.create')}
      isDirty={draft.isDirty || chosen !== undefined}
      canSave={username !== '' && password.length >= 8}
      saveLabel={t('people.create_action')}
      onSave={create}
      onClose={onClose}
    >
      <Credentials values={values} onChange={change} />
      <PersonFields values={values} onChange={change} />
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
