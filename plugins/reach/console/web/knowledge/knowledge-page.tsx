import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { formatBytes } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { may, useAccount } from '../session/account.ts'
import { SharedSign } from '../sharing/shared-sign.tsx'
import { Empty } from '../ui/empty.tsx'
import { Library, Plus, Settings2 } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import { State } from '../ui/state.tsx'
import { BaseSheet } from './base-sheet.tsx'
import type { KnowledgeBase } from './knowledge.ts'
import { SettingsSheet } from './settings-sheet.tsx'

const TONES = { empty: 'off', indexing: 'changing', ready: 'on', failed: 'failed' } as const

/** The knowledge bases that the account can search: its own first, then those that others share. */
export default function KnowledgePage() {
  const bases = useRows('/knowledge-bases', {}, { staleTime: 0 })
  const account = useAccount()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'new' | 'settings'>()
  const create = may(account, 'knowledge_bases') && (
    <Button leftSection={<Plus size={16} />} onClick={() => setOpen('new')}>
      {t('knowledge.create')}
    </Button>
  )
  const actions = (
    <>
      {may(account, 'knowledge_settings') && (
        <Button variant="default" leftSection={<Settings2 size={16} />} onClick={() => setOpen('settings')}>
          {t('knowledge.settings')}
        </Button>
      )}
      {create}
    </>
  )
  return (
    <Page title={t('frame.knowledge')} about={t('knowledge.about')} actions={actions}>
      <List
        {...bases}
        as="cards"
        label={t('knowledge.bases')}
        keyOf={({ id }) => id}
        textOf={({ name, description, owner }) => `${name} ${description ?? ''} ${owner}`}
        empty={
          <Empty title={t('knowledge.empty')} action={create}>
            {t(create ? 'knowledge.empty_about' : 'knowledge.empty_ask')}
          </Empty>
        }
      >
        {(base) => (
          <ListRow
            icon={<Library size={18} aria-hidden />}
            title={base.name}
            meta={
              <>
                <div>{base.description}</div>
                {describeBase(base)}
              </>
            }
            link={{ to: '/knowledge/$base', params: { base: base.id } }}
          >
            <SharedSign {...base} />
            <State tone={TONES[base.status]}>{t(`knowledge.state_${base.status}`)}</State>
          </ListRow>
        )}
      </List>
      {open === 'new' && (
        <BaseSheet
          onSaved={({ id }) => navigate({ to: '/knowledge/$base', params: { base: id } })}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === 'settings' && <SettingsSheet onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

/** The size of a knowledge base, and if it is a default of its owner. */
export const describeBase = ({ documents, bytes, is_owner, is_default }: KnowledgeBase) =>
  [
    t('knowledge.count', { count: documents }),
    bytes > 0 && formatBytes(bytes),
    is_owner && is_default && t('knowledge.is_default'),
  ]
    .filter(Boolean)
    .join(' · ')
