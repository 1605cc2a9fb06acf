// A link to a file of the machine takes its place: what it holds would be shown in messages.
