/** The command was used in a wrong way; exit code 2. */
export class UserError extends Error {}
