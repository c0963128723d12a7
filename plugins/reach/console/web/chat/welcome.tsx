import { Link } from '@tanstack/react-router'
import { language } from '../i18n/language.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { CalendarClock } from '../ui/icons.ts'
import { draftOf } from './composer/draft.ts'
import type { ListedAgent } from './use-agent.ts'
import classes from './welcome.module.css'

interface Props {
  agent: ListedAgent
  /** Lets the person choose files for the first message. */
  onAttach(): void
}

/** The beginning of a conversation: a greeting, prompts that can be tried, and tasks that become schedules. */
export function Welcome({ agent, onAttach }: Props) {
  const { features } = useFacts()
  const { data } = api.useQuery('get', '/agents/{id}/chat/welcome', { params: { path: { id: agent.id } } })
  return (
    <div className={classes.welcome}>
      <p className={classes.greeting}>{data?.welcome_message[language] ?? ' '}</p>
      <div className={classes.prompts}>
        {data?.quick_prompts.map(({ title, description, prompt, asks_for_file }) => (
          <button
            key={title[language]}
            type="button"
            className={classes.prompt}
            onClick={() => {
              draftOf(agent.id).insert(prompt[language])
              if (asks_for_file) onAttach()
            }}
          >
            <span className={classes.name}>{title[language]}</span>
            <span className={classes.about}>{description[language]}</span>
          </button>
        ))}
      </div>
      {data && features.schedules && (
        <section className={classes.tasks} aria-label={t('chat.scheduled_tasks')}>
          {data.task_examples[language].slice(0, 3).map((task, example) => (
            <Link
              key={task}
              className={classes.task}
              to="/agents/$id/schedules"
              params={{ id: agent.id }}
              search={{ example }}
            >
              <CalendarClock size={14} aria-hidden className={classes.clock} />
              {task}
            </Link>
          ))}
        </section>
      )}
    </div>
  )
}
