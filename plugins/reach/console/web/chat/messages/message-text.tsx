import { useAgents } from '../use-agent.ts'
import classes from './user-message.module.css'

/** The text of a message of the user, in which `@` and the name of an agent are shown as a chip. */
export function MessageText({ text, state }: { text: string; state?: 'waiting' }) {
  const { rows = [] } = useAgents()
  const names = rows.map(({ name }) => name).filter((name) => text.includes(`@${name}`))
  return (
    <div className={classes.bubble} data-state={state}>
      {splitMentions(text, names).map((piece, index) =>
        index % 2 === 0 ? (
          piece
        ) : (
          <span key={index} className={classes.mention}>
            {piece}
          </span>
        ),
      )}
    </div>
  )
}

/** Splits a text into pieces, of which each second one is a mention of an agent. */
function splitMentions(text: string, names: readonly string[]): string[] {
  if (names.length === 0) return [text]
  const longestFirst = names.toSorted((left, right) => right.length - left.length)
  const choices = longestFirst.map((name) => name.replace(/[$()*+.?[\\\]^{|}-]/g, '\\$&')).join('|')
  return text.split(new RegExp(`(?<![\\w.+-])(@(?:${choices}))(?!\\w)`))
}
