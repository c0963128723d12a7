import { Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { language } from '../i18n/language.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Failure } from '../ui/failure.tsx'
import { Pending } from '../ui/pending.tsx'
import classes from './persona-tab.module.css'
import { type Agent, updateAgent, useLoadedAgent } from './use-agent.ts'

type Code = NonNullable<Agent['persona_mbti']>

/** The persona of an agent: how it speaks and acts. */
export default function PersonaTab() {
  const { agent } = useLoadedAgent()
  const personas = api.useQuery('get', '/mbti/codes')
  const [error, setError] = useState<unknown>()
  const chosen = agent.persona_mbti ?? '_default'

  const choose = async (code: Code) => {
    setError(undefined)
    await updateAgent(agent.id, { persona_mbti: code === '_default' ? null : code }).catch(setError)
  }

  if (!personas.data) return <Pending {...personas} height={320} />
  return (
    <>
      <Text size="sm" c="var(--meta)">
        {t('agents.persona_about')}
      </Text>
      {error !== undefined && <Failure error={error} />}
      <div className={classes.cards} role="radiogroup" aria-label={t('agents.persona')}>
        {personas.data
          .toSorted((left, right) => Number(right.code === '_default') - Number(left.code === '_default'))
          .map(({ code, name, nickname, description, color, symbol }) => (
            <label key={code} className={classes.card}>
              <input
                type="radio"
                name="persona"
                className={classes.input}
                checked={code === chosen}
                onChange={() => choose(code)}
              />
              <span className={classes.symbol} style={{ background: color }} aria-hidden>
                {symbol}
              </span>
              <span>
                <span className={classes.name}>
                  {code === '_default' ? name[language] : `${nickname[language]} · ${code}`}
                </span>
                <span className={classes.about}>{description[language]}</span>
              </span>
            </label>
          ))}
      </div>
      {chosen !== '_default' && <PersonaDetail code={chosen} />}
    </>
  )
}

const BEHAVIORS = ['answer_style', 'casual_chat', 'conflict', 'creativity', 'emotion', 'planning'] as const

/** The manner of an agent with a persona. */
function PersonaDetail({ code }: { code: NonNullable<Agent['persona_mbti']> }) {
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
