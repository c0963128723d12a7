import { language } from '../i18n/language.ts'
import { api } from '../server/client.ts'
import { draftOf } from './composer/draft.ts'
import type { ListedAgent } from './use-agent.ts'
import classes from './welcome.module.css'

/** The beginning of a conversation: a greeting, and prompts that can be tried. */
export function Welcome({ agent }: { agent: ListedAgent }) {
  const { data } = api.useQuery('get', '/agents/{id}/chat/welcome', { params: { path: { id: agent.id } } })
  return (
    <div className={classes.welcome}>
      <p className={classes.greeting}>{data?.welcome_message[language] ?? ' '}</p>
      <div className={classes.prompts}>
        {data?.quick_prompts.map(({ title, description, prompt }) => (
          <button
            key={title[language]}
            type="button"
            className={classes.prompt}
            onClick={() => draftOf(agent.id).insert(prompt[language])}
          >
            <span className={classes.name}>{title[language]}</span>
            <span className={classes.about}>{description[language]}</span>
          </button>
        ))}
      </div>
    </div>
  )
}
