import { Button, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { Failure } from '../ui/failure.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { PublishSheet } from './publish-sheet.tsx'
import { updateAgent, useLoadedAgent } from './use-agent.ts'

/** Shares an agent with everybody on the server, or publishes a copy as an expert. */
export default function SharingTab() {
  const { agent } = useLoadedAgent()
  const [isPublishing, setPublishing] = useState(false)
  const [error, setError] = useState<unknown>()
  const share = async (is_shared: boolean) => {
    setError(undefined)
    await updateAgent(agent.id, { is_shared }).catch(setError)
  }
  return (
    <Stack gap="xl" maw={600}>
      <Stack gap="sm" component="section">
        <Title order={2} size="h5">
          {t('agents.share')}
        </Title>
        <Toggle
          label={t('agents.is_shared')}
          description={
            agent.is_owner
              ? t('agents.is_shared_help')
              : t('agents.is_shared_by_owner', { owner: agent.owner })
          }
          checked={agent.is_shared}
          disabled={!agent.is_owner}
          onToggle={(checked) => share(checked)}
        />
        {error !== undefined && <Failure error={error} />}
      </Stack>
      <Stack gap="sm" component="section" align="flex-start">
        <Title order={2} size="h5">
          {t('agents.publish')}
        </Title>
        <Text size="sm" c="var(--meta)">
          {t('agents.publish_about')}
        </Text>
        <Button variant="default" onClick={() => setPublishing(true)}>
          {t('agents.publish_open')}
        </Button>
      </Stack>
      {isPublishing && <PublishSheet agent={agent} onClose={() => setPublishing(false)} />}
    </Stack>
  )
}
