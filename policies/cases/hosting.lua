-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'hosting: asked about',
    ask = {
      'gh api https://evil.example.com',
    },
  },
}
