"""Two people in one session: one makes a link, the other joins with it and works on the same variables."""
from holdfast import Holdfast

with Holdfast() as holdfast, holdfast.sessions.create() as session:
    session.run("votes = {'tea': 2, 'coffee': 1}", actor="user", actor_name="Ada")
    share = session.shares.create("run", expires_seconds=600, name="Grace")

    # Grace has no key, only the link's token. It opens this session, and no other.
    with Holdfast(api_key=share.token) as guest:
        theirs = guest.sessions.get(session.id)
        theirs.run("votes['coffee'] += 2")

    print(session.run("votes").text)
    for step in session.steps.list():
        print(f"{step.number}. {step.actor_name or step.actor}: {step.code}")

    session.shares.revoke(share.id)
