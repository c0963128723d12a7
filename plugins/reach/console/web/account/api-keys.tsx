import { Button } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { joinNames, t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { refresh, send } from '../server/send.ts'
import type { Account } from '../session/account.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/empty.tsx'
import { KeyRound, Plus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Section } from '../ui/section.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { CreateApiKey } from './create-api-key.tsx'
import { useScopes } from './scopes.ts'

type ApiKey = components['schemas']['ApiKey']

/** The keys with which programs act for the account. */
export function ApiKeys({ account }: { account: Account }) {
  const keys = useRows('/auth/api-keys')
  const scopes = useScopes(account)
  const [isCreating, setCreating] = useState(false)
  const [deleting, setDeleting] = useState<ApiKey>()

  const remove = async ({ id }: ApiKey) => {
    await send(client.DELETE('/auth/api-keys/{id}', { params: { path: { id } } }))
    await refresh('/auth/api-keys', '/auth/me')
  }
  const create = (
    <Button size="xs" variant="default" leftSection={<Plus size={14} />} onClick={() => setCreating(true)}>
      {t('account.create_key')}
    </Button>
  )
  return (
    <Section
      title={t('account.api_keys')}
      about={t('account.api_keys_about')}
      actions={keys.rows && keys.rows.length > 0 && create}
    >
      <List
        {...keys}
        label={t('account.api_keys')}
        keyOf={({ id }) => id}
        empty={
          <Empty title={t('account.no_keys')} action={create}>
            {t('account.no_keys_about')}
          </Empty>
        }
      >
        {(key) => (
          <ListRow
            icon={<KeyRound size={16} aria-hidden />}
            title={key.name}
            meta={<KeyFacts apiKey={key} words={key.scopes.map(scopes.nameOf)} />}
          >
            {key.expires_at !== null && key.expires_at * 1000 < Date.now() && (
              <State tone="off">{t('account.key_expired')}</State>
            )}
            <Button size="xs" variant="default" onClick={() => setDeleting(key)}>
              {t('common.delete')}
            </Button>
          </ListRow>
        )}
      </List>
      {isCreating && <CreateApiKey scopes={scopes.offered} onClose={() => setCreating(false)} />}
      {deleting && (
        <Confirm
          title={t('account.delete_key_title', { name: deleting.name })}
          action={t('common.delete')}
          onConfirm={() => remove(deleting)}
          onClose={() => setDeleting(undefined)}
        >
          {t('account.delete_key_about')}
        </Confirm>
      )}
    </Section>
  )
}

/** The scopes of a key, when it was last used, and when it ends. */
function KeyFacts({ apiKey: { last_used_at, expires_at }, words }: { apiKey: ApiKey; words: string[] }) {
  return (
    <>
      {joinNames(words)}
      {' · '}
      {last_used_at === null ? t('account.never_used') : t('account.last_used')}{' '}
      {last_used_at !== null && <Time at={last_used_at} />}
      {' · '}
      {expires_at === null ? t('account.no_expiry') : t('account.expires')}{' '}
      {expires_at !== null && <Time at={expires_at} />}
    </>
  )
}
