import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { t } from '../i18n/words.ts'
import { type Issue, readFailure } from '../server/failure.ts'
import { Failure } from './failure.tsx'

interface Issues {
  found: Issue[]
  /** Records that a field shows the issues of a path; returns the way to take that back. */
  claim(path: string): () => void
  isClaimed(path: string): boolean
}

const IssuesContext = createContext<Issues | undefined>(undefined)

/** Hands the issues of a refused form to its fields, which find theirs by `useIssue`. */
export function IssuesProvider({ error, children }: { error: unknown; children: ReactNode }) {
  const [claimed] = useState(() => new Map<string, number>())
  const value = useMemo<Issues>(
    () => ({
      found: error === undefined ? [] : readFailure(error).issues,
      claim(path) {
        claimed.set(path, (claimed.get(path) ?? 0) + 1)
        return () => void claimed.set(path, (claimed.get(path) ?? 1) - 1)
      },
      isClaimed: (path) => (claimed.get(path) ?? 0) > 0,
    }),
    [error, claimed],
  )
  return <IssuesContext value={value}>{children}</IssuesContext>
}

/** The reason why the server refused a field, by its JSON pointer in the body; undefined if it did not. */
export function useIssue(path: string): string | undefined {
  const issues = use(IssuesContext)
  const claim = issues?.claim
  useEffect(() => claim?.(path), [claim, path])
  const issue = issues?.found.find((issue) => issue.path === path || issue.path.startsWith(`${path}/`))
  return issue && explain(issue)
}

/** Shows why a form was refused: the sentence, and each issue that no field shows. */
export function FormFailure({ error }: { error: unknown }) {
  const issues = use(IssuesContext)
  const unshown = issues?.found.filter(({ path }) => !isShown(path, issues)) ?? []
  return (
    <>
      <Failure error={error} />
      {unshown.length > 0 && (
        <ul>
          {unshown.map((issue) => (
            <li key={issue.path}>{`${issue.path.split('/').at(-1)}: ${explain(issue)}`}</li>
          ))}
        </ul>
      )}
    </>
  )
}

/** True if a field shows the issues of this path or of one that contains it. */
const isShown = (path: string, { isClaimed }: Issues) =>
  path.split('/').some((_, index, parts) => isClaimed(parts.slice(0, index + 1).join('/')))

/** An issue in words: the rules of JSON Schema that people meet, otherwise the words of the server. */
function explain({ rule, message }: Issue): string {
  if (rule === 'required') return t('forms.rule_required')
  if (rule === 'pattern' || rule === 'format') return t('forms.rule_pattern')
  const limit = /\d+/.exec(message)?.[0]
  if (limit === undefined) return message
  if (rule === 'minLength') return t('forms.rule_min_length', { limit: Number(limit) })
  if (rule === 'maxLength') return t('forms.rule_max_length', { limit: Number(limit) })
  if (rule === 'minimum') return t('forms.rule_minimum', { limit: Number(limit) })
  if (rule === 'maximum') return t('forms.rule_maximum', { limit: Number(limit) })
  return message
}
