import { Link } from '@tanstack/react-router'
import { language } from '../i18n/language.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { CalendarClock } from '../ui/icons.ts'
import { MissingTools, nameMissing } from '../ui/missing-tools.tsx'
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
  const agent_id = agent.can_edit ? agent.id : undefined
  const missing = data?.missing ?? []
  const isExplained = (tool: string) => missing.some((other) => other.tool === tool)
  return (
    <div className={classes.welcome}>
      <p className={classes.greeting}>{data?.welcome_message[language] ?? ' '}</p>
      {missing.length > 0 && (
        <p className={classes.missing}>
          <MissingTools tools={missing} agent_id={agent_id} />
        </p>
      )}
      <div className={classes.prompts}>
        {data?.quick_prompts.map((card) => {
          const { title, description, prompt, asks_for_file, missing: lacked } = card
          const text = (
            <>
              <span className={classes.name}>{title[language]}</span>
              <span className={classes.about}>{description[language]}</span>
            </>
          )
          return lacked.length > 0 ? (
            // Nothing would come of the prompt, so that it can only be read.
            <div key={title[language]} className={classes.prompt} data-missing>
              {text}
              <span className={classes.about}>
                {lacked.every(({ tool }) => isExplained(tool)) ? (
                  nameMissing(lacked)
                ) : (
                  <MissingTools tools={lacked} agent_id={agent_id} />
                )}
              </span>
            </div>
          ) : (
            <button
              key={title[language]}
              type="button"
              className={classes.prompt}
              onClick={() => {
                draftOf(agent.id).insert(prompt[language])
                if (asks_for_file) onAttach()
              }}
            >
              {text}
            </button>
          )
        })}
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
