import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useGroups } from '../groups/group.ts'
import { setGroups } from '../groups/membership.ts'
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
  const joined = useGroups().rows?.flatMap(({ id, is_default }) => (is_default ? [id] : [])) ?? []
  const [chosen, setChosen] = useState<string[]>()
  const values = { ...draft.value, group_ids: chosen ?? joined }
  const { username, password, role } = values
  const change = ({ group_ids, ...changes }: Partial<PersonValues>) => {
    if (group_ids) setChosen(group_ids)
    draft.change(changes)
  }
  const create = async () => {
    // An administrator holds every permission without a grant.
    const person = role === 'admin' ? { ...values, permissions: [] } : values
    const account = await send(client.POST('/users', { body: toNewPerson(person) }))
    await setGroups(
      account.username,
      account.groups.map(({ id }) => id),
      values.group_ids,
    )
    await refresh('/users', '/groups')
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
