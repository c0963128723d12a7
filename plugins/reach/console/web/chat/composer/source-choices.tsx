import { Checkbox, Stack } from '@mantine/core'
import { t } from '../../i18n/words.ts'
import { Failure } from '../../ui/failure.tsx'
import classes from './source-picker.module.css'
import type { Sources } from './use-sources.ts'

/** The choices of the sources of a conversation, by their kind. */
export default function SourceChoices({ kinds }: { kinds: readonly Sources[] }) {
  return (
    <Stack gap="sm" w={260}>
      {kinds.map((sources) => (
        <Choices key={sources.label} {...sources} />
      ))}
    </Stack>
  )
}

function Choices({ label, items, chosen, always, choose, error }: Sources) {
  if (items.length === 0) return null
  return (
    <Checkbox.Group
      label={label}
      size="sm"
      value={[...chosen, ...always]}
      onChange={(ids) => choose(ids.filter((id) => chosen.includes(id) || !always.includes(id)))}
    >
      <Stack gap={6} mt={6} className={classes.choices}>
        {items.map(({ id, name }) => (
          <Checkbox
            key={id}
            size="sm"
            value={id}
            label={name}
            description={always.includes(id) ? t('chat.always_on') : undefined}
            disabled={always.includes(id)}
          />
        ))}
      </Stack>
      {error !== undefined && <Failure error={error} />}
    </Checkbox.Group>
  )
}
