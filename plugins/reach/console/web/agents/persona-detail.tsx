import { Stack, Text, Title } from '@mantine/core'
import { language } from '../i18n/language.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import type { Agent } from './use-agent.ts'

const BEHAVIORS = ['answer_style', 'casual_chat', 'conflict', 'creativity', 'emotion', 'planning'] as const

/** The manner of an agent with a persona. */
export function PersonaDetail({ code }: { code: NonNullable<Agent['persona_mbti']> }) {
  const { data } = api.useQuery('get', '/mbti/codes/{code}', { params: { path: { code } } })
  if (!data) return null
  return (
    <Stack gap="md" component="section" maw={640}>
      <Title order={2} size="h5">
        {data.name[language]}
      </Title>
      <Text size="sm">{data.summary[language]}</Text>
      {BEHAVIORS.map((behavior) => (
        <div key={behavior}>
          <Text size="sm" fw={600}>
            {t(`agents.behavior_${behavior}`)}
          </Text>
          <Text size="sm" c="var(--meta)">
            {data.behavior[behavior][language]}
          </Text>
        </div>
      ))}
    </Stack>
  )
}
