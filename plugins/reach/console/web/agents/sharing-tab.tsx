import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { owns, useAccount } from '../session/account.ts'
import { GrantFields } from '../sharing/grant-fields.tsx'
import type { Grant } from '../sharing/grants.ts'
import type { SharedThing } from '../sharing/kinds.ts'
import { readGrants } from '../sharing/store-grants.ts'
import { useGrantStore } from '../sharing/use-grant-store.ts'
import { useDraft } from '../ui/draft.ts'
import { Pending } from '../ui/pending.tsx'
import { Section } from '../ui/section.tsx'
import { SettingsForm } from '../ui/settings-form.tsx'
import { PublishSheet } from './publish-sheet.tsx'
import { TransferSheet } from './transfer-sheet.tsx'
import { useLoadedAgent } from './use-agent.ts'

/** Shares an agent, publishes a copy as an expert, or transfers it to another owner. */
export default function SharingTab() {
  const { agent } = useLoadedAgent()
  const [isPublishing, setPublishing] = useState(false)
  const [isTransferring, setTransferring] = useState(false)
  const canShare = owns(useAccount(), agent)
  const thing: SharedThing = { kind: 'agent', ...agent }
  const grants = useQuery({
    queryKey: ['grants', 'agent', agent.id],
    queryFn: () => readGrants(thing),
    staleTime: 0,
  })
  return (
    <Stack gap="xl" maw={600}>
      {!grants.data ? (
        <Pending {...grants} height={240} />
      ) : canShare ? (
        <SharingForm thing={thing} stored={grants.data} />
      ) : (
        <GrantFields thing={thing} grants={grants.data} base={grants.data} />
      )}
      <Section title={t('agents.publish')} about={t('agents.publish_about')}>
        <Button variant="default" w="fit-content" onClick={() => setPublishing(true)}>
          {t('agents.publish_open')}
        </Button>
      </Section>
      {canShare && (
        <Section title={t('agents.transfer')} about={t('agents.transfer_about')}>
          <Button variant="default" w="fit-content" onClick={() => setTransferring(true)}>
            {t('agents.transfer_open')}
          </Button>
        </Section>
      )}
      {isTransferring && <TransferSheet agent={agent} onClose={() => setTransferring(false)} />}
      {isPublishing && <PublishSheet agent={agent} onClose={() => setPublishing(false)} />}
    </Stack>
  )
}

function SharingForm({ thing, stored }: { thing: SharedThing; stored: Grant[] }) {
  const { refused, store } = useGrantStore(thing)
  const draft = useDraft({ grants: stored })
  const save = async () => draft.accept({ grants: await store(draft.base.grants, draft.value.grants) })
  return (
    <SettingsForm label={t('agents.sharing')} isDirty={draft.isDirty} onSave={save} onReset={draft.reset}>
      <GrantFields
        {...{ thing, refused }}
        grants={draft.value.grants}
        base={draft.base.grants}
        onChange={(grants) => draft.change({ grants })}
      />
    </SettingsForm>
  )
}
