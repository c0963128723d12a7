/** Why a runner did not do what it was asked to, in words for the model. */
export class RunnerFailure extends Error {}
