import { Button, CopyButton, Group, NativeSelect, Radio, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { api, client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { refresh, send } from '../server/send.ts'
import { Confirm } from '../ui/confirm.tsx'
import { copyText } from '../ui/copy-text.ts'
import { Failure } from '../ui/failure.tsx'
import { PublicAddress } from '../ui/public-address.tsx'
import { Section } from '../ui/section.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useAction } from '../ui/use-action.ts'
import { ShareFacts } from './share-facts.tsx'
import { addressOf, deleteShare, type Share, updateShare } from './share-links.ts'

interface Props {
  agent_id: string
  thread_id: string
  onClose(): void
}

const NEVER = ''
const DAYS = [1, 7, 30, 90, 365]

/** Makes a link to a copy of a conversation, and shows the links that it has already. */
export default function ShareSheet({ agent_id, thread_id, onClose }: Props) {
  const settings = api.useQuery('get', '/shares/settings')
  const shares = useRows('/shares', { query: { thread_id } })
  const [audience, setAudience] = useState<Share['audience']>('accounts')
  const [days, setDays] = useState(NEVER)
  const [include_steps, setSteps] = useState(false)
  const [outcome, setOutcome] = useState<'copied' | 'created' | 'updated'>()

  const create = async () => {
    setOutcome(undefined)
    const share = await send(
      client.POST('/agents/{id}/threads/{thread_id}/shares', {
        params: { path: { id: agent_id, thread_id } },
        body: { audience, include_steps, ...(days !== NEVER && { expires_in_days: Number(days) }) },
      }),
    )
    const isCopied = await copyText(addressOf(share))
    await refresh('/shares', '/auth/me')
    setOutcome(isCopied ? 'copied' : 'created')
  }
  return (
    <Sheet
      title={t('shares.title')}
      onSave={create}
      closesOnSave={false}
      saveLabel={t('shares.create')}
      canSave={settings.data !== undefined}
      onClose={onClose}
    >
      <Text size="sm">{t('shares.about')}</Text>
      {settings.error && <Failure error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.data?.public ? (
        <Radio.Group
          label={t('shares.audience')}
          value={audience}
          onChange={(value) => setAudience(value as Share['audience'])}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="accounts" label={t('shares.accounts')} />
            <Radio value="link" label={t('shares.link')} />
          </Stack>
        </Radio.Group>
      ) : (
        <Text size="sm">{t('shares.accounts_only')}</Text>
      )}
      <NativeSelect
        label={t('shares.expires')}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        data={[
          { value: NEVER, label: t('shares.never') },
          ...DAYS.map((count) => ({ value: String(count), label: t('shares.after_days', { count }) })),
        ]}
      />
      <Switch
        label={t('shares.include_steps')}
        description={t('shares.include_steps_about')}
        checked={include_steps}
        onChange={(event) => setSteps(event.currentTarget.checked)}
      />
      <Text size="sm" role="status" fw={500}>
        {outcome && t(`shares.${outcome}`)}
      </Text>
      {shares.error && <Failure error={shares.error} onRetry={() => void shares.refetch()} />}
      {shares.rows && shares.rows.length > 0 && (
        <Section title={t('shares.existing')}>
          <PublicAddress />
          <Stack gap="lg">
            {shares.rows.map((share) => (
              <ShareControls key={share.share_id} share={share} onUpdated={() => setOutcome('updated')} />
            ))}
          </Stack>
        </Section>
      )}
    </Sheet>
  )
}

/** A link with what it shows, and what can be done with it. */
function ShareControls({ share, onUpdated }: { share: Share; onUpdated(): void }) {
  const [isDeleting, setDeleting] = useState(false)
  const { isBusy, error, run } = useAction()
  const address = addressOf(share)
  const update = () =>
    run(async () => {
      await updateShare(share)
      onUpdated()
    })
  return (
    <Stack gap={6}>
      <TextInput
        aria-label={t('shares.address')}
        value={address}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
      />
      <Text size="xs" c="var(--meta)">
        <ShareFacts share={share} />
      </Text>
      <Group gap="xs">
        <CopyButton value={address}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {t(copied ? 'common.copied' : 'common.copy')}
            </Button>
          )}
        </CopyButton>
        <Button size="xs" variant="default" loading={isBusy} onClick={() => void update()}>
          {t('shares.update')}
        </Button>
        <Button size="xs" variant="default" onClick={() => setDeleting(true)}>
          {t('common.delete')}
        </Button>
      </Group>
      {error !== undefined && <Failure error={error} />}
      {isDeleting && (
        <Confirm
          title={t('shares.delete_title')}
          action={t('common.delete')}
          onConfirm={() => deleteShare(share)}
          onClose={() => setDeleting(false)}
        >
          {t('shares.delete_about')}
        </Confirm>
      )}
    </Stack>
  )
}
