import { Button, Menu, Text } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { hasPasskeys } from '../two-factor/has-passkeys.ts'
import { DeletePasskey, EditPasskey } from '../two-factor/passkey-sheets.tsx'
import { Empty } from '../ui/empty.tsx'
import { Fingerprint, Plus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { Section } from '../ui/section.tsx'
import { Time } from '../ui/time.tsx'

type Passkey = components['schemas']['Passkey']

/** The passkeys of the account. */
export function Passkeys() {
  const passkeys = useRows('/auth/passkeys')
  const [editing, setEditing] = useState<Passkey | 'new'>()
  const [deleting, setDeleting] = useState<Passkey>()
  const add = hasPasskeys() && (
    <Button size="xs" variant="default" leftSection={<Plus size={14} />} onClick={() => setEditing('new')}>
      {t('two-factor.add_passkey')}
    </Button>
  )
  const isEmpty = passkeys.rows?.length === 0
  return (
    <Section
      title={t('two-factor.passkeys')}
      about={t('two-factor.passkeys_about')}
      actions={!isEmpty && add}
    >
      {isEmpty && !add ? (
        <Text size="sm" c="var(--meta)">
          {t('two-factor.passkeys_here')}
        </Text>
      ) : (
        <List
          {...passkeys}
          label={t('two-factor.passkeys')}
          keyOf={({ id }) => id}
          empty={
            <Empty title={t('two-factor.no_passkeys')} action={add}>
              {t('two-factor.no_passkeys_about')}
            </Empty>
          }
        >
          {(passkey) => (
            <ListRow
              icon={<Fingerprint size={16} aria-hidden />}
              title={passkey.name}
              meta={<Facts passkey={passkey} />}
            >
              <RowMenu name={passkey.name} onDelete={() => setDeleting(passkey)}>
                <Menu.Item onClick={() => setEditing(passkey)}>{t('two-factor.rename')}</Menu.Item>
              </RowMenu>
            </ListRow>
          )}
        </List>
      )}
      {editing && (
        <EditPasskey
          passkey={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
      {deleting && <DeletePasskey passkey={deleting} onClose={() => setDeleting(undefined)} />}
    </Section>
  )
}

function Facts({ passkey: { domain, created_at, last_used_at } }: { passkey: Passkey }) {
  return (
    <>
      {domain !== location.hostname && `${domain} · `}
      {t('two-factor.added')} <Time at={created_at} />
      {' · '}
      {last_used_at === null ? t('account.never_used') : t('account.last_used')}{' '}
      {last_used_at !== null && <Time at={last_used_at} />}
    </>
  )
}
