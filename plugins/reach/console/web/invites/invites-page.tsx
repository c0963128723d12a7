import { Button, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { groupNameOf } from '../groups/group.ts'
import { joinNames, t, type WordKey } from '../i18n/words.ts'
import { usePermissionNames } from '../people/permission-picks.tsx'
import { client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { refresh, send } from '../server/send.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/empty.tsx'
import { MailPlus, Plus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { CreateInvite } from './create-invite.tsx'

type Invite = components['schemas']['Invite']

const STATES: Record<Invite['status'], { label: WordKey; tone: 'on' | 'off' }> = {
  pending: { label: 'invites.pending', tone: 'on' },
  used: { label: 'invites.used', tone: 'off' },
  expired: { label: 'invites.expired', tone: 'off' },
  revoked: { label: 'invites.revoked', tone: 'off' },
}

/** The invites: links with which others make accounts for themselves. */
export default function InvitesPage() {
  const invites = useRows('/users/invites')
  const [onlyPending, setOnlyPending] = useState(false)
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<Invite>()
  const revoke = async ({ id }: Invite) => {
    await send(client.POST('/users/invites/{invite_id}/revoke', { params: { path: { invite_id: id } } }))
    await refresh('/users/invites')
  }
  const create = (
    <Button leftSection={<Plus size={16} />} onClick={() => setCreating(true)}>
      {t('invites.create')}
    </Button>
  )
  return (
    <Page title={t('frame.invites')} about={t('invites.about')} actions={create}>
      <List
        {...invites}
        rows={invites.rows?.filter(({ status }) => !onlyPending || status === 'pending')}
        label={t('frame.invites')}
        keyOf={({ id }) => id}
        textOf={({ note, created_by, used_by }) => [note, created_by, used_by].join(' ')}
        controls={
          <NativeSelect
            aria-label={t('people.filter')}
            value={onlyPending ? 'pending' : 'all'}
            onChange={(event) => setOnlyPending(event.currentTarget.value === 'pending')}
            data={[
              { value: 'all', label: t('invites.all') },
              { value: 'pending', label: t('invites.only_pending') },
            ]}
          />
        }
        empty={
          <Empty
            title={t('invites.none')}
            action={
              onlyPending && (
                <Button variant="default" onClick={() => setOnlyPending(false)}>
                  {t('invites.all')}
                </Button>
              )
            }
          >
            {t('invites.none_about')}
          </Empty>
        }
      >
        {(invite) => (
          <ListRow
            icon={<MailPlus size={16} aria-hidden />}
            title={invite.note ?? t('invites.without_note')}
            meta={<Facts invite={invite} />}
          >
            <State tone={STATES[invite.status].tone}>{t(STATES[invite.status].label)}</State>
            {invite.status === 'pending' && (
              <Button size="xs" variant="default" onClick={() => setRevoking(invite)}>
                {t('invites.revoke')}
              </Button>
            )}
          </ListRow>
        )}
      </List>
      {isCreating && <CreateInvite onClose={() => setCreating(false)} />}
      {revoking && (
        <Confirm
          title={t('invites.revoke_title')}
          action={t('invites.revoke')}
          onConfirm={() => revoke(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          {t('invites.revoke_about')}
        </Confirm>
      )}
    </Page>
  )
}

function Facts({ invite }: { invite: Invite }) {
  const toName = usePermissionNames()
  const { created_by, groups, permissions, status, used_by, used_at, expires_at } = invite
  const rights = [...groups.map(groupNameOf), ...permissions.map(toName)]
  return (
    <>
      {t('invites.by', { name: created_by })}
      {rights.length > 0 && ` · ${joinNames(rights)}`}
      {status === 'used' && used_at !== null && (
        <>
          {' · '}
          {t('invites.used_by', { name: used_by ?? '' })} <Time at={used_at} />
        </>
      )}
      {status === 'pending' && (
        <>
          {' · '}
          {t('invites.until')} <Time at={expires_at} />
        </>
      )}
    </>
  )
}
