import { Button, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { groupNameOf, useGroups } from '../groups/group.ts'
import { t } from '../i18n/words.ts'
import { Plus, Upload } from '../ui/icons.ts'
import { BulkActions } from './bulk-actions.tsx'
import { CreatePerson } from './create-person.tsx'
import { EditPerson } from './edit-person.tsx'
import { ImportPeople } from './import-people.tsx'
import { PeopleArea } from './people-area.tsx'
import { PeopleList } from './people-list.tsx'
import { FILTERS, usePeople } from './people-query.ts'
import type { Person } from './person.ts'
import { useSelection } from './selection.ts'

/** The accounts of the server, for account managers. */
export default function PeoplePage() {
  const people = usePeople()
  const selection = useSelection()
  const [open, setOpen] = useState<Person | 'new' | 'import'>()
  const close = () => setOpen(undefined)
  return (
    <PeopleArea
      actions={
        <>
          <Button variant="default" leftSection={<Upload size={16} />} onClick={() => setOpen('import')}>
            {t('import.action')}
          </Button>
          <Button leftSection={<Plus size={16} />} onClick={() => setOpen('new')}>
            {t('people.create')}
          </Button>
        </>
      }
    >
      <PeopleList
        people={people}
        selection={selection}
        onOpen={setOpen}
        controls={
          <>
            <Filter {...people} />
            {people.total !== undefined && (
              <Text size="sm" c="var(--meta)" role="status">
                {t('people.count', { count: people.total })}
              </Text>
            )}
            <BulkActions selection={selection} />
          </>
        }
      />
      {open === 'new' && <CreatePerson onClose={close} />}
      {open === 'import' && <ImportPeople onClose={close} />}
      {typeof open === 'object' && <EditPerson person={open} onClose={close} />}
    </PeopleArea>
  )
}

/** Chooses which accounts are shown: those with a property, or the members of a group. */
function Filter({ filter, setFilter }: Pick<ReturnType<typeof usePeople>, 'filter' | 'setFilter'>) {
  const { rows: groups = [] } = useGroups()
  return (
    <NativeSelect
      aria-label={t('people.filter')}
      flex="1 1 160px"
      maw={220}
      value={filter}
      onChange={(event) => setFilter(event.currentTarget.value)}
      data={[
        ...Object.entries(FILTERS).map(([value, { label }]) => ({ value, label: t(label) })),
        {
          group: t('groups.title'),
          items: groups.map((group) => ({ value: group.id, label: groupNameOf(group) })),
        },
      ]}
    />
  )
}
