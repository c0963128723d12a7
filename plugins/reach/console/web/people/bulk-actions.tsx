import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { joinNames, t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { Alert } from '../ui/alert.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { showToast } from '../ui/toast.tsx'
import { useAction } from '../ui/use-action.ts'
import { changeEach, type Refusal } from './change-each.ts'
import { ChooseGroup } from './choose-group.tsx'
import classes from './people.module.css'
import { nameOf, type Person } from './person.ts'
import type { Selection } from './selection.ts'

const SHOWN_NAMES = 10

/** The actions on the selected accounts; those for whom one failed stay selected, each with the reason. */
export function BulkActions({ selection }: { selection: Selection }) {
  const { people } = selection
  const [asking, setAsking] = useState<'join' | 'leave' | 'disable' | 'delete'>()
  const [refusals, setRefusals] = useState<Refusal[]>([])
  const { isBusy, run } = useAction()
  const count = people.length

  const apply = async (concerned: Person[], change: (person: Person) => Promise<unknown>) => {
    const refused = await changeEach(concerned, change)
    setRefusals(refused)
    const done = people.filter(({ id }) => !refused.some(({ person }) => person.id === id))
    selection.set(done, false)
    const changed = concerned.length - refused.length
    if (changed > 0) showToast(t('people.changed', { count: changed }))
  }
  const setEnabled = (enabled: boolean) =>
    apply(
      people.filter((person) => person.enabled !== enabled),
      ({ username }) =>
        send(client.PATCH('/users/{id}', { params: { path: { id: username } }, body: { enabled } })),
    )
  const move = (id: string) =>
    apply(people, ({ username }) => {
      const member = { params: { path: { id, username } } }
      const path = '/groups/{id}/members/{username}'
      return send(asking === 'join' ? client.PUT(path, member) : client.DELETE(path, member))
    })
  const remove = () =>
    apply(people, ({ username }) =>
      send(client.DELETE('/users/{id}', { params: { path: { id: username } } })),
    )

  const button = { variant: 'default', size: 'xs', disabled: isBusy } as const
  const dismiss = () => setAsking(undefined)
  return (
    <>
      {count > 0 && (
        <Group className={classes.bar} gap="sm" role="group" aria-label={t('people.selection')}>
          <Text size="sm" fw={500} role="status" mr="sm">
            {t('people.selected', { count })}
          </Text>
          <Button {...button} onClick={() => setAsking('join')}>
            {t('people.join')}
          </Button>
          <Button {...button} onClick={() => setAsking('leave')}>
            {t('people.leave')}
          </Button>
          <Button {...button} onClick={() => setAsking('disable')}>
            {t('people.disable')}
          </Button>
          <Button {...button} onClick={() => void run(() => setEnabled(true))}>
            {t('people.enable')}
          </Button>
          <Button {...button} c="var(--danger)" onClick={() => setAsking('delete')}>
            {t('people.delete_many')}
          </Button>
          <Button {...button} variant="subtle" color="gray" ml="auto" onClick={selection.clear}>
            {t('people.clear_selection')}
          </Button>
        </Group>
      )}
      {refusals.length > 0 && <Refusals of={refusals} onClose={() => setRefusals([])} />}
      {(asking === 'join' || asking === 'leave') && (
        <ChooseGroup action={asking} people={people} onChoose={move} onClose={dismiss} />
      )}
      {asking === 'disable' && (
        <Confirm
          title={t('people.disable_many', { count })}
          action={t('people.disable')}
          onConfirm={() => setEnabled(false)}
          onClose={dismiss}
        >
          <Names of={people} /> {t('people.disable_about')}
        </Confirm>
      )}
      {asking === 'delete' && (
        <Confirm
          title={t('people.delete_many_title', { count })}
          action={t('people.delete_many')}
          name={t('people.count', { count })}
          onConfirm={remove}
          onClose={dismiss}
        >
          <Names of={people} /> {t('people.delete_many_about')}
        </Confirm>
      )}
    </>
  )
}

const Names = ({ of: people }: { of: Person[] }) => (
  <>
    <b>
      {joinNames(people.slice(0, SHOWN_NAMES).map(nameOf))}
      {people.length > SHOWN_NAMES && '…'}
    </b>
    <br />
  </>
)

/** The accounts that were not changed, each with the reason. */
const Refusals = ({ of: refusals, onClose }: { of: Refusal[]; onClose(): void }) => (
  <Alert>
    <Text size="sm" fw={500}>
      {t('people.refused', { count: refusals.length })}
    </Text>
    <ul className={classes.refusals}>
      {refusals.map(({ person, reason }) => (
        <li key={person.id}>
          {nameOf(person)}: {reason}
        </li>
      ))}
    </ul>
    <Button size="xs" variant="default" onClick={onClose}>
      {t('common.close')}
    </Button>
  </Alert>
)
