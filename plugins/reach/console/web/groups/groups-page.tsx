import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCompact } from '../i18n/format.ts'
import { joinNames, t } from '../i18n/words.ts'
import { PeopleArea } from '../people/people-area.tsx'
import { usePermissionNames } from '../people/permission-picks.tsx'
import { Empty } from '../ui/empty.tsx'
import { Plus, Users } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { type Group, groupNameOf, useGroups } from './group.ts'
import { CreateGroup, EditGroup } from './group-sheet.tsx'
import classes from './groups.module.css'

/** The groups of accounts, and what their members may do. */
export default function GroupsPage() {
  const groups = useGroups()
  const [open, setOpen] = useState<Group | 'new'>()
  const close = () => setOpen(undefined)
  const create = (
    <Button leftSection={<Plus size={16} />} onClick={() => setOpen('new')}>
      {t('groups.create')}
    </Button>
  )
  return (
    <PeopleArea actions={create}>
      <List
        {...groups}
        label={t('groups.title')}
        keyOf={({ id }) => id}
        textOf={(group) => `${groupNameOf(group)} ${group.description ?? ''}`}
        empty={<Empty title={t('groups.none')}>{t('groups.none_about')}</Empty>}
      >
        {(group) => (
          <ListRow
            icon={<Users size={18} aria-hidden />}
            title={groupNameOf(group)}
            meta={<Facts group={group} />}
            onOpen={() => setOpen(group)}
          >
            <Text size="sm" c="var(--meta)" className={classes.members}>
              {t('groups.member_count', { count: group.member_count })}
            </Text>
          </ListRow>
        )}
      </List>
      {open === 'new' && <CreateGroup onCreated={setOpen} onClose={close} />}
      {open !== undefined && open !== 'new' && <EditGroup key={open.id} group={open} onClose={close} />}
    </PeopleArea>
  )
}

function Facts({ group: { description, permissions, token_quota, is_default } }: { group: Group }) {
  const toName = usePermissionNames()
  const rights = [
    permissions.length > 0 ? joinNames(permissions.map(toName)) : t('groups.no_permissions'),
    token_quota === null ? undefined : t('groups.limit_of', { count: formatCompact(token_quota) }),
    is_default ? t('groups.is_default') : undefined,
  ]
  return (
    <>
      {description && <div>{description}</div>}
      <div>{rights.filter(Boolean).join(' · ')}</div>
    </>
  )
}
