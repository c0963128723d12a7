import { Button, Group, Modal, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import { groupNameOf, useGroups } from '../groups/group.ts'
import { t } from '../i18n/words.ts'
import { Failure } from '../ui/failure.tsx'
import { useAction } from '../ui/use-action.ts'
import type { Person } from './person.ts'

interface Props {
  /** Adds the accounts to the group, or takes them out of it. */
  action: 'join' | 'leave'
  people: Person[]
  onChoose(group_id: string): Promise<unknown>
  onClose(): void
}

/** Asks for the group that accounts are added to or taken out of. */
export function ChooseGroup({ action, people, onChoose, onClose }: Props) {
  const [chosen, setChosen] = useState<string | null>(null)
  const { isBusy, error, run } = useAction()
  const { rows = [] } = useGroups()
  const isIn = (id: string) => people.some(({ groups }) => groups.some((group) => group.id === id))
  const offered = action === 'join' ? rows : rows.filter(({ id }) => isIn(id))
  const choose = () =>
    run(async () => {
      if (chosen !== null) await onChoose(chosen)
      onClose()
    })
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(`people.${action}_title`, { count: people.length })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <Stack gap="md">
        <Select
          label={t('people.group')}
          searchable
          data={offered.map((group) => ({ value: group.id, label: groupNameOf(group) }))}
          value={chosen}
          onChange={setChosen}
          nothingFoundMessage={t('forms.no_match')}
          data-autofocus
        />
        {error !== undefined && <Failure error={error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button loading={isBusy} disabled={chosen === null} onClick={choose}>
            {t(`people.${action}_action`)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
