import { Button, Checkbox } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'
import { Empty } from '../ui/empty.tsx'
import rowClasses from '../ui/list.module.css'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { useIsPhone } from '../ui/phone-bar.tsx'
import classes from './people.module.css'
import { GroupChips, isSelectable, LastSeen, PersonState, Usage } from './people-cells.tsx'
import { PeopleHead } from './people-head.tsx'
import type { usePeople } from './people-query.ts'
import { canChange, nameOf, type Person } from './person.ts'
import type { Selection } from './selection.ts'
import { useUsageOf } from './use-usage-of.ts'

interface Props {
  people: ReturnType<typeof usePeople>
  selection: Selection
  controls: ReactNode
  onOpen(person: Person): void
}

/** The accounts: a table, and cards on phones. */
export function PeopleList({ people, selection, controls, onOpen }: Props) {
  const account = useAccount()
  const isPhone = useIsPhone()
  const usage = useUsageOf(people.rows)
  const rowProps = { account, selection, usage }
  const open = (person: Person) => (canChange(account, person) ? () => onOpen(person) : undefined)
  return (
    <List
      {...people}
      label={t('frame.people')}
      keyOf={({ id }) => id}
      controls={controls}
      head={!isPhone && <PeopleHead people={people} selection={selection} hasUsage={usage !== undefined} />}
      empty={
        <Empty
          title={t('people.none')}
          action={
            <Button variant="default" onClick={() => people.setFilter('all')}>
              {t('people.show_all')}
            </Button>
          }
        >
          {t('people.none_about')}
        </Empty>
      }
    >
      {(person) =>
        isPhone ? (
          <Card {...rowProps} person={person} onOpen={open(person)} />
        ) : (
          <Row {...rowProps} person={person} onOpen={open(person)} />
        )
      }
    </List>
  )
}

interface RowProps {
  account: ReturnType<typeof useAccount>
  person: Person
  selection: Selection
  usage: ReturnType<typeof useUsageOf>
  /** Missing for accounts that the caller cannot change. */
  onOpen: (() => void) | undefined
}

function Row({ account, person, selection, usage, onOpen }: RowProps) {
  const name = nameOf(person)
  const used = usage?.(person.id)
  return (
    <tr aria-selected={selection.has(person)}>
      <td className={classes.check}>
        {isSelectable(account, person) && <Select person={person} selection={selection} />}
      </td>
      <td>
        <div className={classes.name}>
          <Monogram name={name} />
          <div className={rowClasses.text}>
            {onOpen ? (
              <button type="button" className={`${rowClasses.main} ${rowClasses.plain}`} onClick={onOpen}>
                {name}
              </button>
            ) : (
              <span className={rowClasses.title}>{name}</span>
            )}
            <div className={rowClasses.meta}>{describe(person)}</div>
          </div>
        </div>
      </td>
      <td>
        <GroupChips person={person} />
      </td>
      <td className={classes.short}>
        <LastSeen person={person} />
      </td>
      {usage && <td className={classes.number}>{used ? <Usage of={used} /> : 0}</td>}
      <td className={classes.short}>
        <PersonState person={person} />
      </td>
    </tr>
  )
}

function Card({ account, person, selection, usage, onOpen }: RowProps) {
  const name = nameOf(person)
  const used = usage?.(person.id)
  return (
    <ListRow
      icon={
        <>
          {isSelectable(account, person) && (
            <div className={classes.check}>
              <Select person={person} selection={selection} />
            </div>
          )}
          <Monogram name={name} />
        </>
      }
      title={name}
      meta={
        <>
          <div>{describe(person)}</div>
          <GroupChips person={person} />
          <div className={classes.facts}>
            <LastSeen person={person} />
            {used && (
              <span>
                <Usage of={used} /> {t('people.tokens')}
              </span>
            )}
            <PersonState person={person} />
          </div>
        </>
      }
      onOpen={onOpen}
    />
  )
}

const Select = ({ person, selection }: { person: Person; selection: Selection }) => (
  <Checkbox
    aria-label={t('people.select', { name: nameOf(person) })}
    checked={selection.has(person)}
    onChange={(event) => selection.set([person], event.currentTarget.checked)}
  />
)

/** The username, if it is not the name that is shown, and the role of an administrator. */
const describe = (person: Person) =>
  [
    nameOf(person) === person.username ? undefined : person.username,
    person.role === 'admin' ? t('people.admin') : undefined,
  ]
    .filter(Boolean)
    .join(' · ')
