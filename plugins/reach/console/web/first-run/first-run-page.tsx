import { Button, Stepper, Textarea } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { draftOf } from '../chat/composer/draft.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { Page } from '../ui/page.tsx'
import { ModelStep } from './model-step.tsx'
import { PasswordStep } from './password-step.tsx'
import { PeopleStep } from './people-step.tsx'
import { Step } from './step.tsx'

/** Sets up a fresh server in a few steps, each of which can be skipped. */
export default function FirstRunPage() {
  const [step, setStep] = useState(0)
  const navigate = useNavigate()
  const { features } = useFacts()
  const next = () => setStep((step) => step + 1)
  return (
    <Page title={t('first-run.title')} about={t('first-run.about')}>
      <Stepper active={step} onStepClick={setStep} size="sm" maw={640}>
        <Stepper.Step label={t('first-run.password')}>
          <PasswordStep onNext={next} />
        </Stepper.Step>
        <Stepper.Step label={t('first-run.model')}>
          <ModelStep onNext={next} />
        </Stepper.Step>
        {features.groups && (
          <Stepper.Step label={t('first-run.people')}>
            <PeopleStep onNext={next} />
          </Stepper.Step>
        )}
        <Stepper.Step label={t('first-run.hello')}>
          <SayHello onDone={() => navigate({ to: '/' })} />
        </Stepper.Step>
      </Stepper>
    </Page>
  )
}

/** Leads to the first conversation, whose first message is written already. */
function SayHello({ onDone }: { onDone(): void }) {
  const { data: agents, isPending } = api.useQuery('get', '/agents')
  const [message, setMessage] = useState(t('first-run.first_message'))
  const begin = () => {
    const agent = agents?.[0]
    if (agent && message.trim() !== '') draftOf(agent.id).insert(message.trim())
    onDone()
  }
  return (
    <Step
      about={t('first-run.hello_about')}
      action={
        <Button onClick={begin} loading={isPending}>
          {t('first-run.begin')}
        </Button>
      }
      onSkip={onDone}
    >
      <Textarea
        aria-label={t('first-run.hello')}
        autosize
        minRows={2}
        maxRows={8}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
      />
    </Step>
  )
}
