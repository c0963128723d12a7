import { Button, Stack, Text } from '@mantine/core'
import { joinNames, t } from '../i18n/words.ts'
import { refresh } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { useAction } from '../ui/use-action.ts'
import { forgetLearned, type Provider } from './provider-form.ts'

interface Props {
  provider: Provider
  /** The tag of the version that the sheet shows. */
  tag: string | null
  onForgotten(stored: { data: Provider; tag: string | null }): void
}

/** The changes that calls of the models need, as refusals have shown; they can be forgotten after an update. */
export function LearnedChanges({ provider, tag, onForgotten }: Props) {
  const { isBusy, error, run } = useAction()
  if (provider.learned.length === 0) return null
  const forget = () =>
    run(async () => {
      onForgotten(await forgetLearned(provider, tag))
      await refresh('/providers')
    })
  return (
    <Stack gap={4} component="section" aria-labelledby="learned-changes">
      <Text size="sm" fw={600} id="learned-changes">
        {t('models.learned')}
      </Text>
      <Text size="xs" c="var(--meta)">
        {t('models.learned_about')}
      </Text>
      <Stack gap={4} component="ul" m={0} pl="md">
        {provider.learned.map(({ model, changes }) => (
          <Text key={model} component="li" size="sm">
            <b>{model}</b>: {joinNames(changes.map(({ label }) => label))}
          </Text>
        ))}
      </Stack>
      {error !== undefined && <Failure error={error} />}
      <Button
        size="xs"
        variant="default"
        w="fit-content"
        mt={4}
        loading={isBusy}
        onClick={() => void forget()}
      >
        {t('models.forget')}
      </Button>
    </Stack>
  )
}
