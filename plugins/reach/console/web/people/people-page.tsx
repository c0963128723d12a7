import { Button, Checkbox, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCompact } from '../i18n/format.ts'
import { language } from '../i18n/language.ts'
import { joinNames, t, type WordKey } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { ifMatch, refresh, send, sendTagged } from '../server/send.ts'
import { useAccount } from '../session/account.ts'
import { listChanges } from '../ui/draft.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { Empty } from '../ui/empty.tsx'
import { Plus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { BulkActions } from './bulk-actions.tsx'
import { CreatePerson } from './create-person.tsx'
import classes from './people.module.css'
import { PeopleArea } from './people-area.tsx'
import { usePermissionNames } from './permission-picks.tsx'
import { canChange, nameOf, type Person, valuesOf } from './person.ts'
import { PersonActions } from './person-actions.tsx'
import { PersonFields } from './person-fields.tsx'

const FILTERS = {
  all: { label: 'people.filter_all', keep: () => true },
  admin: { label: 'people.filter_admin', keep: ({ role }) => role === 'admin' },
  disabled: { label: 'people.filter_disabled', keep: ({ enabled }) => !enabled },
  locked: { label: 'people.filter_locked', keep: ({ login_locked }) => login_locked },
} satisfies Record<string, { label: WordKey; keep(person: Person): boolean }>

const names = new Intl.Collator(language, { numeric: true })
/** Sorts as people count: user2 before user10. */
const byName = (a: Person, b: Person) => names.compare(a.username, b.username)

/** The accounts of the server, for account managers. */
export default function PeoplePage() {
  const account = useAccount()
  const people = useRows('/users')
  const [filter, setFilter] = useState<keyof typeof FILTERS>('all')
  const [open, setOpen] = useState<Person | 'new'>()
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set())
  const close = () => setOpen(undefined)
  const rows = people.rows?.filter(FILTERS[filter].keep).toSorted(byName)
  const selected = rows?.filter(({ id }) => selectedIds.has(id)) ?? []
  const canSelect = (person: Person) => person.id !== account.id && canChange(account, person)
  const select = ({ id }: Person, isSelected: boolean) =>
    setSelectedIds(new Set(isSelected ? [...selectedIds, id] : [...selectedIds].filter((one) => one !== id)))
  return (
    <PeopleArea
      actions={
        <Button leftSection={<Plus size={16} />} onClick={() => setOpen('new')}>
          {t('people.create')}
        </Button>
      }
    >
      <List
        {...people}
        rows={rows}
        label={t('frame.people')}
        keyOf={({ id }) => id}
        textOf={({ username, display_name, email }) => [username, display_name, email].join(' ')}
        controls={
          <>
            <NativeSelect
              aria-label={t('people.filter')}
              value={filter}
              onChange={(event) => setFilter(event.currentTarget.value as keyof typeof FILTERS)}
              data={Object.entries(FILTERS).map(([value, { label }]) => ({ value, label: t(label) }))}
            />
            {rows && (
              <Text size="sm" c="var(--meta)" role="status">
                {t('people.count', { count: rows.length })}
                {people.hasNextPage && '+'}
              </Text>
            )}
            {selected.length > 0 && (
              <BulkActions people={selected} onDone={() => setSelectedIds(new Set())} />
            )}
          </>
        }
        empty={
          <Empty
            title={t('people.none')}
            action={
              <Button variant="default" onClick={() => setFilter('all')}>
                {t('people.show_all')}
              </Button>
            }
          >
            {t('people.none_about')}
          </Empty>
        }
      >
        {(person) => (
          <ListRow
            icon={
              <>
                {canSelect(person) && (
                  <Checkbox
                    className={classes.check}
                    aria-label={t('people.select', { name: nameOf(person) })}
                    checked={selectedIds.has(person.id)}
                    onChange={(event) => select(person, event.currentTarget.checked)}
                  />
                )}
                <Monogram name={nameOf(person)} />
              </>
            }
            title={nameOf(person)}
            meta={<Facts person={person} />}
            onOpen={canChange(account, person) ? () => setOpen(person) : undefined}
          >
            <States person={person} />
            <LastLogin person={person} />
          </ListRow>
        )}
      </List>
      {open === 'new' && <CreatePerson onClose={close} />}
      {open !== undefined && open !== 'new' && <EditPerson person={open} onClose={close} />}
    </PeopleArea>
  )
}

const FACTORS: Record<string, WordKey> = { totp: 'people.two_factors', passkey: 'people.passkey' }

function Facts({ person }: { person: Person }) {
  const toName = usePermissionNames()
  const facts = [
    nameOf(person) === person.username ? undefined : person.username,
    person.role === 'admin' ? t('people.admin') : joinNames(person.permissions.map(toName)),
    person.second_factors &&
      joinNames(person.second_factors.flatMap((factor) => (FACTORS[factor] ? t(FACTORS[factor]) : []))),
    person.token_quota === null
      ? undefined
      : t('people.quota_used', {
          used: formatCompact(person.tokens_used),
          quota: formatCompact(person.token_quota),
        }),
  ]
  return facts.filter(Boolean).join(' · ')
}

function States({ person: { enabled, login_locked, must_change_password } }: { person: Person }) {
  if (!enabled) return <State tone="off">{t('people.disabled')}</State>
  if (login_locked) return <State tone="failed">{t('people.locked')}</State>
  if (must_change_password) return <State tone="waiting">{t('people.must_change')}</State>
  return null
}

function LastLogin({ person: { last_login_at } }: { person: Person }) {
  return (
    <Text size="sm" c="var(--meta)" className={classes.login}>
      {last_login_at === null ? (
        t('people.no_login')
      ) : (
        <>
          {t('people.last_login')} <Time at={last_login_at} />
        </>
      )}
    </Text>
  )
}

interface Props {
  person: Person
  onClose(): void
}

/** Changes an account, as it is stored now. */
function EditPerson({ person, onClose }: Props) {
  const path = { id: person.username }
  return (
    <EditSheet
      title={nameOf(person)}
      id={person.id}
      read={() => sendTagged(client.GET('/users/{id}', { params: { path } }))}
      valuesOf={({ data }) => valuesOf(data)}
      save={async ({ tag }, base, values) => {
        const { username: _, password: __, ...body } = listChanges(base, values)
        await send(client.PATCH('/users/{id}', { params: { path, header: ifMatch(tag) }, body }))
        await refresh('/users', '/auth/me')
      }}
      onClose={onClose}
    >
      {(values, onChange, { data }) => (
        <>
          <PersonFields values={values} onChange={onChange} />
          <PersonActions person={data} onClose={onClose} />
        </>
      )}
    </EditSheet>
  )
}
