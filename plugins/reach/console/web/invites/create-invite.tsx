import { Button, CopyButton, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { groupNameOf, useGroups } from '../groups/group.ts'
import { GroupPicks, useGroupPermissions } from '../groups/group-picks.tsx'
import { joinNames, t } from '../i18n/words.ts'
import { PermissionPicks } from '../people/permission-picks.tsx'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { MoreSettings } from '../ui/more-settings.tsx'
import { PublicAddress } from '../ui/public-address.tsx'
import { Sheet } from '../ui/sheet.tsx'

const QR = lazy(() => import('../ui/qr.tsx'))

const DAYS = [1, 7, 30, 90]

/** Creates an invite, and then shows its link and code, which only this reply has. */
export function CreateInvite({ onClose }: { onClose(): void }) {
  const [note, setNote] = useState('')
  const [days, setDays] = useState(7)
  const joined = useGroups().rows?.filter(({ is_default }) => is_default) ?? []
  const [groups, setGroups] = useState<string[]>([])
  const inherited = useGroupPermissions([...joined.map(({ id }) => id), ...groups])
  const [permissions, setPermissions] = useState<string[]>([])
  const [link, setLink] = useState<string>()

  const create = async () => {
    const body = { expires_in_days: days, groups, permissions, ...(note && { note }) }
    const { invite_url, invite_path } = await send(client.POST('/users/invites', { body }))
    setLink(invite_url ?? location.origin + invite_path)
    await refresh('/users/invites')
  }
  if (link !== undefined) return <Created link={link} onClose={onClose} />
  return (
    <Sheet
      title={t('invites.create')}
      isDirty={note !== ''}
      onSave={create}
      closesOnSave={false}
      saveLabel={t('invites.create_action')}
      onClose={onClose}
    >
      <TextInput
        label={t('invites.note')}
        description={t('invites.note_help')}
        maxLength={200}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        data-autofocus
      />
      <NativeSelect
        label={t('invites.valid_for')}
        value={String(days)}
        onChange={(event) => setDays(Number(event.currentTarget.value))}
        data={DAYS.map((count) => ({ value: String(count), label: t('account.days', { count }) }))}
      />
      <GroupPicks
        description={
          joined.length > 0
            ? t('invites.groups_besides', { groups: joinNames(joined.map(groupNameOf)) })
            : t('people.groups_help')
        }
        isOffered={({ is_default }) => !is_default}
        value={groups}
        onChange={setGroups}
      />
      <MoreSettings>
        <PermissionPicks
          label={t('invites.permissions')}
          inherited={inherited}
          value={permissions}
          onChange={setPermissions}
        />
      </MoreSettings>
    </Sheet>
  )
}

function Created({ link, onClose }: { link: string; onClose(): void }) {
  return (
    <Sheet title={t('invites.created')} onClose={onClose}>
      <Text size="sm">{t('invites.created_about')}</Text>
      <PublicAddress />
      <Group gap="sm" align="flex-end" wrap="nowrap">
        <TextInput
          flex={1}
          label={t('invites.link')}
          value={link}
          readOnly
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton value={link}>
          {({ copied, copy }) => (
            <Button onClick={copy} data-autofocus>
              {t(copied ? 'common.copied' : 'common.copy')}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Suspense>
        <QR content={link} label={t('invites.qr')} />
      </Suspense>
    </Sheet>
  )
}
